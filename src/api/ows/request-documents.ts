import type { DocumentLimits } from '../../core/config/request-limits.ts'
import type { XmlElement } from '../../core/text/xml-tree.ts'
import type { WrittenEcql } from '../../filters/ecql.ts'
import type { Expression } from '../../filters/expression.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import type { SldLayer } from '../../styles/sld/read-sld.ts'
import type { LayerCrs } from './named-crs.ts'

/** ECQL that is a condition and no list of ids. */
export type EcqlExpression = Extract<WrittenEcql, { written: Expression }>

/** Reads the XML, the forms and the filters of requests within limits. */
export interface RequestDocuments {
  readonly limits: DocumentLimits
  /** Reads an XML body. Throws `OwsFailure` (`OperationParsingFailed`). */
  readBody(text: string): Promise<XmlElement>
  /** Reads an XML filter that is the value of a parameter. Throws `invalid-filter`. */
  readFilterXml(text: string): Promise<XmlElement>
  /** Reads the names and values of a form. */
  readForm(text: string): Promise<[string, string][]>
  /** Reads the styles of SLD_BODY. Throws `invalid-style`. */
  readSld(text: string): Promise<SldLayer[]>
  /** Reads an operator of Filter Encoding. Throws `invalid-filter` and `unsupported-filter`. */
  readFes(operator: XmlElement, layer: LayerCrs): Promise<RequestFilter>
  /** Reads ECQL, before the layer is known. Throws `invalid-filter` and `unsupported-filter`. */
  readEcql(text: string): Promise<WrittenEcql>
  /** Converts parsed ECQL to a filter of a layer. Throws like `readEcql`, and `OwsFailure`. */
  ecqlOfLayer(text: string, found: EcqlExpression, layer: LayerCrs): Promise<RequestFilter>
  close(): Promise<void>
}
