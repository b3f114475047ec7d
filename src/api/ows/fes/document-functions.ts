import type { DocumentLimits } from '../../../core/config/request-limits.ts'
import type { XmlElement } from '../../../core/text/xml-tree.ts'
import type { WrittenEcql } from '../../../filters/ecql.ts'
import { parseEcql } from '../../../filters/ecql.ts'
import type { Expression } from '../../../filters/expression.ts'
import { invalidFilter, requireFilterSize, unsupportedFilter } from '../../../filters/filter-size.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import { toRequestFilter } from '../../../stores/reading/request-filter.ts'
import type { SldLayer } from '../../../styles/sld/read-sld.ts'
import { readSldLayers } from '../../../styles/sld/read-sld.ts'
import type { LayerCrs } from '../named-crs.ts'
import { readCrs } from '../named-crs.ts'
import { OwsFailure } from '../ows-failure.ts'
import { findProperty } from '../property-names.ts'
import type { EcqlExpression } from '../request-documents.ts'
import { parseRequestXml } from '../request-xml.ts'
import { LayerFesReader } from './layer-fes-reader.ts'

interface Limited {
  limits: DocumentLimits
}

/** Reads the documents of requests. Pure functions over plain data: they run in any thread. */
export const documentFunctions = {
  /** Reads an XML body. Throws `OwsFailure` (`OperationParsingFailed`). */
  body: ({ text, limits }: Limited & { text: string }): XmlElement =>
    parseRequestXml(
      text,
      limits,
      (reason) => new OwsFailure('OperationParsingFailed', `The body ${reason}`, 'body'),
    ),

  /** Reads an XML filter that is the value of a parameter. Throws `invalid-filter`. */
  filterXml: ({ text, limits }: Limited & { text: string }): XmlElement =>
    parseRequestXml(text, limits, (reason) => invalidFilter(`The filter ${reason}`)),

  /** Reads the names and values of a form. */
  form: ({ text }: { text: string }): [string, string][] => [...new URLSearchParams(text)],

  /** Reads the styles of SLD_BODY. Throws `invalid-style`. */
  sld: ({ text, limits }: Limited & { text: string }): SldLayer[] => readSldLayers(text, limits),

  /** Reads a filter of Filter Encoding in the terms of a layer. Throws `invalid-filter` and `unsupported-filter`. */
  fes: ({ operator, layer, limits }: Limited & { operator: XmlElement; layer: LayerCrs }): RequestFilter => {
    const reader = new LayerFesReader(layer)
    const written = reader.read(operator)
    requireFilterSize(written, limits)
    return toRequestFilter(written, layer.details.schema, reader.srs)
  },

  /** Reads ECQL, before the layer is known. Throws `invalid-filter` and `unsupported-filter`. */
  ecql: ({ text, limits }: Limited & { text: string }): WrittenEcql => parseEcql(text, limits),

  /** Converts ECQL to a filter of a layer. Throws `OwsFailure`, `invalid-filter` and `unsupported-filter`. */
  ecqlOfLayer: ({ found, layer }: { found: EcqlExpression; layer: LayerCrs }): RequestFilter => {
    const { written, crs, isMixed } = found
    const { schema, srs } = layer.details
    const named = crs === undefined ? undefined : readCrs(crs, 'cql_filter').srs
    const own = srs ?? 'EPSG:4326'
    if (named !== undefined && named !== own && isMixed)
      throw unsupportedFilter('A BBOX of the filter has another CRS than the other geometries of the filter')
    return toRequestFilter(withOwnNames(written, schema), schema, named ?? own)
  },
}

/** Names without prefixes, and that of the geometry as GeoServer has it. */
function withOwnNames(written: Expression, schema: Schema): Expression {
  const renamed = (part: Expression): Expression => withOwnNames(part, schema)
  switch (written.kind) {
    case 'property':
      return { ...written, name: findProperty(schema, written.name) ?? written.name }
    case 'call':
      return { ...written, args: written.args.map(renamed) }
    case 'list':
      return { ...written, of: written.of.map(renamed) }
    case 'interval':
      return { ...written, from: renamed(written.from), to: renamed(written.to) }
    default:
      return written
  }
}
