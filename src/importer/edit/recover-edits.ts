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
 * Publishes committed edits as versions of their layers and announces their ends, in one transaction. Returns
 * the versions, in the order of the records.
 */
export async function publishEdits(
  catalog: Catalog,
  records: readonly EditRecord[],
): Promise<(number | undefined)[]> {
  return catalog.transaction(async (change, db) => {
    const versions: (number | undefined)[] = []
    for (const { editId, edit } of records) {
      const isOpen = edit !== undefined && (await deleteEdit(db, editId))
      versions.push(isOpen ? (await change.editLayer(editId, edit))?.version : undefined)
    }
    return versions
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
  if (await isCommitted(deps.catalog, record)) await publishEdits(deps.catalog, [record])
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
