import type { Catalog, StoreRecord } from '../../catalog/index.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { LoadResult, StatePath } from '../../stores/index.ts'
import type { LoadPool } from '../worker/worker.ts'
import type { RestoreRecord } from './restore-rows.ts'

/** Dependencies for restoring a table. */
export interface RestoreTableDeps {
  catalog: Catalog
  pool: LoadPool
  save(record: RestoreRecord): Promise<void>
}

/** A table to restore. */
export interface TableRestore {
  record: RestoreRecord
  store: StoreRecord
  table: string
  path: StatePath
  layer?: { workspace: string; name: string }
  /** Creates the id for the retained present rows. */
  newId(): string
}

/** Restores the rows of a table with the protocol of loads. Returns the record as of after the commit. */
export async function restoreTableRows(
  { catalog, pool, save }: RestoreTableDeps,
  { record, store, table, path, layer, newId }: TableRestore,
  signal: AbortSignal,
): Promise<RestoreRecord> {
  const keep = await catalog.versions.howToKeep(store, newId())
  let current: RestoreRecord = { ...record, table, tableStoreId: store.id, keep }
  await save(current)
  passStep('restore.kept')
  const announced = { storeId: store.id, table, layer }
  const beforeTouch = async (mark: string): Promise<void> => {
    await catalog.layers.announceChange({ ...announced, mark }, record.loadId)
    passStep('restore.touched')
  }
  const beforeCommit = async (token: string, { kept, rowsLoaded }: LoadResult): Promise<void> => {
    current = { ...current, token, rows: rowsLoaded, kept: kept ?? current.kept }
    await save(current)
    passStep('restore.noted')
    await catalog.layers.announceChange(announced, record.loadId)
    passStep('restore.announced')
  }
  const request = {
    loadId: record.loadId,
    table,
    path,
    keepAs: 'id' in keep ? keep.id : undefined,
    followers: await catalog.versions.listFollowers(
      await catalog.versions.getOf(record.layerId, record.version),
    ),
  }
  const connection = await catalog.stores.connection(store)
  await pool.restore({ connection, request }, { signal, beforeTouch, beforeCommit })
  passStep('restore.committed')
  return current
}
