import type { RestoredPart } from '../../catalog/index.ts'
import type { Queryable } from '../../core/db/connection.ts'
import type { FailureKind } from '../../core/errors/errors.ts'
import type { NotRetained, TableSnapshot } from '../../stores/index.ts'

/** A layer being restored to a version: the data that recovery needs after a crash. */
export interface RestoreRecord {
  loadId: string
  layerId: number
  storeId: number
  version: number
  what: readonly RestoredPart[]
  user?: string
  /** Version that the layer must still have. */
  expected?: number
  /** The table whose rows are restored; set before anything is staged. */
  table?: string
  /** The store of the table; absent: the store of the layer. */
  tableStoreId?: number
  /** Id under which the present contents of the table are retained, or the reason why they are not. */
  keep?: { id: string } | NotRetained
  /** Recorded just before the commit of the store. */
  token?: string
  kept?: TableSnapshot | NotRetained
  rows?: number
  /** Result of the restore. */
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

/** Lists running restores, and completed ones that no client has fetched yet. */
export async function listRestores(db: Queryable): Promise<(RestoreRecord & { createdAt: string })[]> {
  const rows = await db.selectFrom('layer_restores').select(['document', 'created_at']).execute()
  return rows.map((row) => ({ ...(JSON.parse(row.document) as RestoreRecord), createdAt: row.created_at }))
}
