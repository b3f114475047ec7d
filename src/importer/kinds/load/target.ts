import type { LayerRecord, StoreRecord } from '../../../catalog/records.ts'
import { findStoreDescription } from '../../../stores/registry.ts'
import type { TaskLoad } from '../../model/model.ts'
import type { Turns } from '../kind.ts'

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

/** What a later start must know of a load into a target. */
export function loadInto({ store, table, layerName, layer, moved }: Target, loadId: string): TaskLoad {
  return {
    ...{ loadId, storeId: store.id, table, layerName, isNewLayer: layer === undefined },
    ...(moved === undefined ? {} : { movedTo: moved.path }),
  }
}

/** One load at a time into a table, published before the next; some stores take one load at a time in all. */
export function turnsAt({ store, table }: Target): Turns {
  return {
    publish: `table ${store.id}/${table}`,
    ...(findStoreDescription(store.type)?.can.oneLoadAtATime === true ? { commit: `store ${store.id}` } : {}),
  }
}
