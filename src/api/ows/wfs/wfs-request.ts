import type { LayerRecord } from '../../../catalog/index.ts'
import type { XmlElement } from '../../../core/text/xml-tree.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import type { WfsVersion } from './wfs-version.ts'

/** A request of one WFS operation. */
export interface WfsRequest {
  request: FastifyRequest
  reply: FastifyReply
  version: WfsVersion
  workspace: string | undefined
  /** Parameters; for an XML request, the equivalent ones. */
  values: KeyValues
  /** Aborts if the client disconnects before the response is complete. */
  signal: AbortSignal
  /** Content of GetFeature or GetPropertyValue, if it was sent as XML. */
  features?: FeatureRequest
  /** Root element of a request that was sent as XML. */
  body?: XmlElement
  /** Id of the lock of the features in the response. */
  lockId?: string
}

/** A GetFeature request, from KVP or XML. */
export interface FeatureRequest {
  resultType: 'results' | 'hits'
  /** Maximum number of features; undefined: all. */
  count: number | undefined
  startIndex: number
  /** Token for the start of the page, in links of the server. */
  position: string | undefined
  outputFormat: string | undefined
  queries: readonly TypeQuery[]
}

/** A query of one feature type; names are as sent by the client. */
export interface TypeQuery {
  /** Empty if the types follow from the ids. */
  typeName: string
  /** Undefined: all. */
  properties: readonly string[] | undefined
  srsName: string | undefined
  sort: readonly { property: string; isDescending: boolean }[]
  /** Resolves the filter for the schema and CRS of a layer. */
  filter: ((layer: LayerRecord) => Promise<RequestFilter>) | undefined
  /** In the axis order of `crs`, by default the CRS of the response. */
  bbox: { numbers: readonly number[]; crs: string | undefined } | undefined
  /** Ids of features; those of other types match nothing. Undefined: all. */
  ids: readonly string[] | undefined
}
