import type { LayerRecord } from '../../../catalog/records.ts'

/** What one layer has at a point of a map. */
export interface FoundFeatures {
  layer: LayerRecord
  /** GeoJSON, with commas between; features as members of a collection where GML was asked for. */
  text: string
  /** How many they are. */
  count: number
}
