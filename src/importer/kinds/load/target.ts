import type { LayerRecord, StoreRecord } from '../../../catalog/records.ts'

/** Where a task's rows go. */
export interface Target {
  store: StoreRecord
  table: string
  layerName: string
  /** The published layer that is refreshed; absent where a new one is made. */
  layer?: LayerRecord
  /** The table exists and is loaded into. */
  isExisting: boolean
  /** The layer's data stand in a file that is not ours to write: they are copied into `table` first. */
  copyFrom?: { store: StoreRecord; table: string }
  /** The store is a file served as it is, `from`, and is pointed to a new file of ours when the rows are there. */
  moved?: { from: StoreRecord; path: string }
}
