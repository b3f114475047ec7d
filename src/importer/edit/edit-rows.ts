import type { LayerEdit } from '../../catalog/doors/transaction.ts'
import type { Queryable } from '../../db/connection.ts'

/** An edit that its store is about to commit, or has committed: what must be known of it after a crash. */
export interface EditRecord {
  editId: string
  storeId: number
  table: string
  /** Recorded just before the store's commit. */
  token: string
  /** The process that makes it. */
  process: string
  edit: LayerEdit
}

export async function insertEdit(db: Queryable, record: EditRecord, at: string): Promise<void> {
  const { editId, storeId } = record
  await db
    .insertInto('layer_edits')
    .values({ edit_id: editId, store_id: storeId, document: JSON.stringify(record), created_at: at })
    .execute()
}

/** Gives whether it was there still: who deletes it tells of the edit, and nobody else. */
export async function deleteEdit(db: Queryable, editId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('layer_edits')
    .where('edit_id', '=', editId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Edits of which it is not written down yet how they ended; of all stores, or of one. */
export async function listEdits(
  db: Queryable,
  storeId?: number,
): Promise<(EditRecord & { createdAt: string })[]> {
  const all = db.selectFrom('layer_edits').select(['document', 'created_at']).orderBy('created_at')
  const rows = await (storeId === undefined ? all : all.where('store_id', '=', storeId)).execute()
  return rows.map((row) => ({ ...(JSON.parse(row.document) as EditRecord), createdAt: row.created_at }))
}
