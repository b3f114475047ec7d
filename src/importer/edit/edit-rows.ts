import type { LayerEdit } from '../../catalog/doors/transaction.ts'
import type { Queryable } from '../../db/connection.ts'

/** An edit that its store has begun to write, is about to commit, or has committed: what must be known of it after a crash. */
export interface EditRecord {
  editId: string
  storeId: number
  table: string
  token: string
  /** The process that makes it. */
  process: string
  /** Recorded just before the store's commit. */
  edit?: LayerEdit
}

export async function insertEdit(db: Queryable, record: EditRecord, at: string): Promise<void> {
  const { editId, storeId } = record
  await db
    .insertInto('layer_edits')
    .values({ edit_id: editId, store_id: storeId, document: JSON.stringify(record), created_at: at })
    .execute()
}

/** Writes what the store is about to commit; throws where the edit was taken for one that broke off. */
export async function completeEdit(db: Queryable, record: EditRecord): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('layer_edits')
    .set({ document: JSON.stringify(record) })
    .where('edit_id', '=', record.editId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Error('The edit was given up by another server')
}

/** Gives whether it was there still: who deletes it tells of the edit, and nobody else. */
export async function deleteEdit(db: Queryable, editId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('layer_edits')
    .where('edit_id', '=', editId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** An edit of which it is not written down yet how it ended. */
export interface OpenEdit extends EditRecord {
  createdAt: string
}

/** Those of all tables, or of one, from the first on. */
export async function listEdits(
  db: Queryable,
  place?: Pick<EditRecord, 'storeId' | 'table'>,
): Promise<OpenEdit[]> {
  const all = db.selectFrom('layer_edits').select(['document', 'created_at']).orderBy('created_at')
  const rows = await (place === undefined ? all : all.where('store_id', '=', place.storeId)).execute()
  return rows
    .map((row) => ({ ...(JSON.parse(row.document) as EditRecord), createdAt: row.created_at }))
    .filter(({ table }) => place === undefined || table === place.table)
}
