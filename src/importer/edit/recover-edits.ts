import type { Catalog } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { EditRecord, OpenEdit } from './edit-rows.ts'
import { deleteEdit, listEdits } from './edit-rows.ts'

interface RecoverEditsDeps {
  database: Database
  catalog: Catalog
  log: Logger
}

/**
 * Publishes a committed edit as a version of the layer and announces the end of the edit, in one transaction.
 * Returns the version.
 */
export async function publishEdit(
  catalog: Catalog,
  { editId, edit }: EditRecord,
): Promise<number | undefined> {
  return catalog.transaction(async (change, db) => {
    if (edit === undefined || !(await deleteEdit(db, editId))) return undefined
    return (await change.editLayer(editId, edit))?.version
  })
}

/** True for edits that can no longer commit if they have not committed yet. */
type IsOver = (record: OpenEdit) => boolean

/**
 * Recovers interrupted edits: publishes committed ones, whichever process made them, and deletes the records
 * of uncommitted ones that can no longer commit.
 */
export async function recoverEdits(
  deps: RecoverEditsDeps,
  isOver: IsOver,
  editedTable?: Pick<EditRecord, 'storeId' | 'table'>,
): Promise<void> {
  for (const record of await listEdits(deps.database.kysely, editedTable)) {
    try {
      await settleEdit(deps, record, isOver(record))
    } catch (error) {
      deps.log.warn({ err: error, editId: record.editId }, 'the result of an edit is not known yet')
    }
  }
}

async function settleEdit(deps: RecoverEditsDeps, record: EditRecord, isOver: boolean): Promise<void> {
  if (await isCommitted(deps.catalog, record)) await publishEdit(deps.catalog, record)
  else if (isOver) await forgetEdit(deps, record)
}

/**
 * True if the store has committed the edit. Edits that never reached their commit are not looked up in the
 * store.
 */
export async function isCommitted(catalog: Catalog, { storeId, token, edit }: EditRecord): Promise<boolean> {
  if (edit === undefined) return false
  const opened = await catalog.stores.open(await catalog.stores.get(storeId))
  return (await opened.outcome(token)) === 'committed'
}

/** Deletes the record of an edit that has not committed and can no longer commit. */
export async function forgetEdit(
  { catalog, database }: Pick<RecoverEditsDeps, 'catalog' | 'database'>,
  { editId }: EditRecord,
): Promise<void> {
  await deleteEdit(database.kysely, editId)
  await catalog.layers.giveUpChange(editId)
}
