import type { RestoredPart } from '../../catalog/doors/versions.ts'
import type { Queryable } from '../../db/connection.ts'
import type { FailureKind } from '../../lib/errors.ts'
import type { KeptState, NotKept } from '../../stores/store.ts'

/** A layer that is brought back to a version: what must be known of it after a crash. */
export interface RestoreRecord {
  loadId: string
  layerId: number
  storeId: number
  version: number
  what: readonly RestoredPart[]
  user?: string
  /** The version that the layer has to have still. */
  expected?: number
  /** The table whose rows come back, from the moment before anything of it is staged. */
  table?: string
  /** The store that it stands in; absent: that of the layer. */
  tableStoreId?: number
  /** Under which id what the table is now is kept, or why it is not. */
  keep?: { id: string } | NotKept
  /** Recorded just before the store's commit. */
  token?: string
  kept?: KeptState | NotKept
  rows?: number
  /** How it ended. */
  end?: { version: number } | { kind: FailureKind; code: string; message: string }
}

export async function insertRestore(db: Queryable, record: RestoreRecord, at: string): Promise<void> {
  const { loadId, storeId } = record
  await db
    .insertInto('layer_restores')
    .values({ load_id: loadId, store_id: storeId, document: JSON.stringify(record), created_at: at })
    .execute()
}

export async function saveRestore(db: Queryable, record: RestoreRecord): Promise<void> {
  await db
    .updateTable('layer_restores')
    .set({ document: JSON.stringify(record) })
    .where('load_id', '=', record.loadId)
    .execute()
}

export async function findRestore(db: Queryable, loadId: string): Promise<RestoreRecord | undefined> {
  const row = await db
    .selectFrom('layer_restores')
    .select('document')
    .where('load_id', '=', loadId)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.document) as RestoreRecord)
}

export async function deleteRestore(db: Queryable, loadId: string): Promise<void> {
  await db.deleteFrom('layer_restores').where('load_id', '=', loadId).execute()
}

/** Those that were begun and those that ended, of which nobody has heard yet. */
export async function listRestores(db: Queryable): Promise<(RestoreRecord & { createdAt: string })[]> {
  const rows = await db.selectFrom('layer_restores').select(['document', 'created_at']).execute()
  return rows.map((row) => ({ ...(JSON.parse(row.document) as RestoreRecord), createdAt: row.created_at }))
}
