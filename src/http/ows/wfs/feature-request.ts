import type { LayerRecord } from '../../../catalog/records.ts'
import type { WishedFilter } from '../../../stores/reading/wished-filter.ts'

/** What a GetFeature request asks for, however it was sent. */
export interface FeatureRequest {
  resultType: 'results' | 'hits'
  /** Most features; absent: all. */
  count: number | undefined
  startIndex: number
  /** Of a link of ours: where the page begins. */
  position: string | undefined
  outputFormat: string | undefined
  queries: readonly TypeQuery[]
}

/** What is asked of one feature type; names are those that the client has sent. */
export interface TypeQuery {
  /** Empty where the ids tell the types. */
  typeName: string
  /** Absent: all. */
  properties: readonly string[] | undefined
  srsName: string | undefined
  sort: readonly { property: string; isDescending: boolean }[]
  /** The filter in the terms of its layer. */
  filter: ((layer: LayerRecord) => Promise<WishedFilter>) | undefined
  bbox: RequestedBox | undefined
  /** Ids of features; those of other types find nothing. Absent: all. */
  ids: readonly string[] | undefined
}

/** A box: its numbers in the order of its CRS, which is that of the answer where none is named. */
export interface RequestedBox {
  numbers: readonly number[]
  crs: string | undefined
}
