import type { LayerRecord } from '../../../catalog/records.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'

/** A GetFeature request, from KVP or XML. */
export interface FeatureRequest {
  resultType: 'results' | 'hits'
  /** Most features; absent: all. */
  count: number | undefined
  startIndex: number
  /** Start of the page, in links of the server. */
  position: string | undefined
  outputFormat: string | undefined
  queries: readonly TypeQuery[]
}

/** A query of one feature type; names are as sent by the client. */
export interface TypeQuery {
  /** Empty if the types follow from the ids. */
  typeName: string
  /** Absent: all. */
  properties: readonly string[] | undefined
  srsName: string | undefined
  sort: readonly { property: string; isDescending: boolean }[]
  /** The filter in the terms of its layer. */
  filter: ((layer: LayerRecord) => Promise<RequestFilter>) | undefined
  bbox: RequestedBox | undefined
  /** Ids of features; those of other types find nothing. Absent: all. */
  ids: readonly string[] | undefined
}

/** A box in the axis order of its CRS, by default the CRS of the response. */
export interface RequestedBox {
  numbers: readonly number[]
  crs: string | undefined
}
