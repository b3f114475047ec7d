import type { Catalog } from '../../catalog/catalog.ts'
import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { EditRecord } from './edit-rows.ts'
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
    if (!(await deleteEdit(db, editId))) return undefined
    return (await change.editLayer(editId, edit))?.version
  })
}

/** Ends edits that broke off: tells of what was committed, forgets what was not. */
export async function settleEdits(
  needs: SettleNeeds,
  isMeant: (record: EditRecord & { createdAt: string }) => boolean,
): Promise<void> {
  for (const record of await listEdits(needs.database.kysely)) {
    if (!isMeant(record)) continue
    try {
      await settleEdit(needs, record)
    } catch (error) {
      needs.log.warn({ err: error, editId: record.editId }, 'how an edit ended is not known yet')
    }
  }
}

async function settleEdit(needs: SettleNeeds, record: EditRecord): Promise<void> {
  const { catalog, database } = needs
  const opened = await catalog.stores.open(await catalog.stores.get(record.storeId))
  if ((await opened.outcome(record.token)) === 'committed') {
    await publishEdit(needs, record)
    return
  }
  await deleteEdit(database.kysely, record.editId)
  await catalog.layers.giveUpChange(record.editId)
}
