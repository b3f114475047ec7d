import type { LayerRecord } from '../../../catalog/records.ts'

/** Features of one layer at a point of a map. */
export interface LayerFeatureInfo {
  layer: LayerRecord
  /** GeoJSON, separated by commas; features as members of a collection if GML was requested. */
  text: string
  /** Number of features. */
  count: number
}
