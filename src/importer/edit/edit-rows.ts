import type { LayerEdit } from '../../catalog/index.ts'
import type { Queryable } from '../../core/db/connection.ts'

/**
 * An edit whose transaction the store has started, is about to commit, or has committed: the data that
 * recovery needs after a crash.
 */
export interface EditRecord {
  editId: string
  storeId: number
  table: string
  token: string
  /** Process that makes the edit. */
  process: string
  /** Recorded just before the commit of the store. */
  edit?: LayerEdit
}

export async function insertEdit(db: Queryable, record: EditRecord, at: string): Promise<void> {
  const { editId, storeId } = record
  await db
    .insertInto('layer_edits')
    .values({ edit_id: editId, store_id: storeId, document: JSON.stringify(record), created_at: at })
    .execute()
}

/** Records what the store is about to commit. Throws if the edit has already been treated as aborted. */
export async function completeEdit(db: Queryable, record: EditRecord): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('layer_edits')
    .set({ document: JSON.stringify(record) })
    .where('edit_id', '=', record.editId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Error('Another server abandoned the edit')
}

/**
 * Deletes the record of an edit and returns whether it still existed. Only the caller that deletes the record
 * announces the edit.
 */
export async function deleteEdit(db: Queryable, editId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('layer_edits')
    .where('edit_id', '=', editId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** An edit without a recorded result. */
export interface OpenEdit extends EditRecord {
  createdAt: string
}

/** Lists the open edits of all tables or of one table, oldest first. */
export async function listEdits(
  db: Queryable,
  editedTable?: Pick<EditRecord, 'storeId' | 'table'>,
): Promise<OpenEdit[]> {
  const all = db.selectFrom('layer_edits').select(['document', 'created_at']).orderBy('created_at')
  const rows = await (editedTable === undefined
    ? all
    : all.where('store_id', '=', editedTable.storeId)
  ).execute()
  return rows
    .map((row) => ({ ...(JSON.parse(row.document) as EditRecord), createdAt: row.created_at }))
    .filter(({ table }) => editedTable === undefined || table === editedTable.table)
}
