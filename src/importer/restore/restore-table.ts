import type { Catalog } from '../../catalog/catalog.ts'
import type { WayBack } from '../../catalog/doors/versions.ts'
import type { StoreRecord } from '../../catalog/records.ts'
import { defined } from '../../lib/defined.ts'
import type { LoadResult } from '../../stores/store.ts'
import type { LoadPool } from '../worker/worker.ts'
import type { RestoreRecord } from './restore-rows.ts'

/** What bringing a table back needs. */
export interface TableNeeds {
  catalog: Catalog
  pool: LoadPool
  save(record: RestoreRecord): Promise<void>
}

/** A table to be brought back. */
export interface TableRestore {
  record: RestoreRecord
  store: StoreRecord
  table: string
  way: Extract<WayBack, { kind: 'table' }>
  layer?: { workspace: string; name: string }
  /** Names what is kept of the present rows. */
  newId(): string
}

/** Brings the rows of a table back by the protocol of loads; gives the record as it stands after the commit. */
export async function restoreRows(
  { catalog, pool, save }: TableNeeds,
  { record, store, table, way, layer, newId }: TableRestore,
  signal: AbortSignal,
): Promise<RestoreRecord> {
  const keep = await catalog.versions.howToKeep(store, newId())
  let current: RestoreRecord = { ...record, table, keep }
  await save(current)
  const beforeCommit = async (token: string, { kept, rowsLoaded }: LoadResult): Promise<void> => {
    current = { ...current, token, rows: rowsLoaded, ...defined({ kept }) }
    await save(current)
    await catalog.layers.announceChange({ storeId: store.id, table, ...defined({ layer }) }, record.loadId)
  }
  const request = {
    ...{ loadId: record.loadId, table, path: way.path },
    ...('id' in keep ? { keepAs: keep.id } : {}),
  }
  const connection = await catalog.stores.connection(store)
  await pool.restore({ connection, request }, { signal, beforeCommit })
  return current
}
