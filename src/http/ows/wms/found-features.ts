import type { LayerRecord } from '../../../catalog/records.ts'

/** What one layer has at a point of a map. */
export interface FoundFeatures {
  layer: LayerRecord
  /** GeoJSON, with commas between. */
  text: string
}
