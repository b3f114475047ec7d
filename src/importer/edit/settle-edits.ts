import type { Catalog } from '../../catalog/catalog.ts'
import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { EditRecord, OpenEdit } from './edit-rows.ts'
import { deleteEdit, listEdits } from './edit-rows.ts'

interface SettleNeeds {
  database: Database
  catalog: Catalog
  clock: Clock
  log: Logger
}

/** Makes what a store has committed a version of the layer, and tells that the edit has ended, in one transaction; gives the version. */
export async function publishEdit(
  { catalog }: SettleNeeds,
  { editId, edit }: EditRecord,
): Promise<number | undefined> {
  return catalog.transaction(async (change, db) => {
    if (edit === undefined || !(await deleteEdit(db, editId))) return undefined
    return (await change.editLayer(editId, edit))?.version
  })
}

/** Of which edits what was not committed cannot be committed any more. */
type IsOver = (record: OpenEdit) => boolean

/** Ends edits that broke off: tells of what was committed, by whomever; forgets what was not, where it is over. */
export async function settleEdits(
  needs: SettleNeeds,
  isOver: IsOver,
  place?: Pick<EditRecord, 'storeId' | 'table'>,
): Promise<void> {
  for (const record of await listEdits(needs.database.kysely, place)) {
    try {
      await settleEdit(needs, record, isOver(record))
    } catch (error) {
      needs.log.warn({ err: error, editId: record.editId }, 'how an edit ended is not known yet')
    }
  }
}

async function settleEdit(needs: SettleNeeds, record: EditRecord, isOver: boolean): Promise<void> {
  if (await isCommitted(needs, record)) await publishEdit(needs, record)
  else if (isOver) await forgetEdit(needs, record)
}

/** What was never about to be committed is not asked for. */
export async function isCommitted(
  { catalog }: Pick<SettleNeeds, 'catalog'>,
  { storeId, token, edit }: EditRecord,
): Promise<boolean> {
  if (edit === undefined) return false
  const opened = await catalog.stores.open(await catalog.stores.get(storeId))
  return (await opened.outcome(token)) === 'committed'
}

/** Of an edit that was not committed, and cannot be any more. */
export async function forgetEdit(
  { catalog, database }: Pick<SettleNeeds, 'catalog' | 'database'>,
  { editId }: EditRecord,
): Promise<void> {
  await deleteEdit(database.kysely, editId)
  await catalog.layers.giveUpChange(editId)
}
