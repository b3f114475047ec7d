import type { LayerRecord, StoreRecord } from '../../../catalog/index.ts'
import { findStoreDescription } from '../../../stores/registry.ts'
import type { TaskLoad } from '../../model/model.ts'
import type { LockKeys } from '../task-type.ts'

/** Target of the rows of a task. */
export interface Target {
  store: StoreRecord
  table: string
  layerName: string
  /** Published layer that is refreshed; absent for a new layer. */
  layer?: LayerRecord
  /** True to load into an existing table. */
  isExisting: boolean
  /**
   * Set if the data of the layer are in a file that Terrane must not write: they are first copied into
   * `table`.
   */
  copyFrom?: { store: StoreRecord; table: string }
  /**
   * Set if the store is a file served directly (`from`): the store is switched to a new file once the rows
   * are loaded.
   */
  moved?: { from: StoreRecord; path: string }
}

/** Returns what recovery must know of a load into a target. */
export function loadInto({ store, table, layerName, layer, moved }: Target, loadId: string): TaskLoad {
  return {
    loadId,
    storeId: store.id,
    table,
    layerName,
    isNewLayer: layer === undefined,
    movedTo: moved?.path,
  }
}

/**
 * Returns the lock keys of a target: one load at a time per table, including its publication. Some stores
 * allow one load at a time in total.
 */
export function lockKeysFor({ store, table }: Target): LockKeys {
  return {
    publish: `table ${store.id}/${table}`,
    commit: findStoreDescription(store.type)?.can.oneLoadAtATime === true ? `store ${store.id}` : undefined,
  }
}
