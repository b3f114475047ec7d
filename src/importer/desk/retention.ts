import type { Catalog } from '../../catalog/catalog.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ImportState } from '../model/model.ts'
import { findImport, listIdleImports, removeUploads } from '../records/records.ts'
import { sweepTrials } from '../rehearse/rehearse.ts'
import type { CancelNeeds } from './cancel.ts'
import { removeImport } from './cancel.ts'
import { removeReplacedGranules, removeUnusedFolders } from './unused-folders.ts'

const dayMs = 86_400_000
const finished: readonly ImportState[] = ['COMPLETE', 'COMPLETE_ERROR']
const unfinished: readonly ImportState[] = ['INIT_ERROR', 'PENDING', 'READY']

export interface RetentionNeeds {
  cancel: CancelNeeds
  catalog: Catalog
  folders: { stores: string }
  keep: { uploadDays: number; importDays: number }
  log: Logger
}

/**
 * Removes the uploads of unfinished imports and the records of finished ones that have been idle for longer
 * than the retention period. Never touches the copies that published layers read, which are in other folders.
 * Copies that no layer reads are removed a day later.
 */
export async function applyRetention(needs: RetentionNeeds): Promise<void> {
  const before = (days: number): string =>
    new Date(needs.cancel.records.clock.now().getTime() - days * dayMs).toISOString()
  const { uploadDays, importDays } = needs.keep
  await removeReplacedGranules(needs.folders.stores, needs.log)
  await forEachIdle(needs, [...unfinished, 'COMPLETE_ERROR'], before(uploadDays), (id, isStillIdle) =>
    needs.cancel.locks.ofImport(id, async () => {
      if (await isStillIdle()) await removeUploads(needs.cancel, id)
    }),
  )
  await sweepTrials(needs.cancel.rehearsing)
  await removeUnusedFolders({ ...needs, database: needs.cancel.records.database }, before(1))
  await forEachIdle(needs, finished, before(importDays), async (id, isStillIdle) => {
    if (await isStillIdle()) await removeImport(needs.cancel, id)
  })
}

/** Cleans up idle imports. A failure of one import does not stop the others. */
async function forEachIdle(
  needs: RetentionNeeds,
  states: readonly ImportState[],
  before: string,
  clean: (id: number, isStillIdle: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const db = needs.cancel.records.database.kysely
  for (const id of await listIdleImports(db, states, before)) {
    const isStillIdle = async (): Promise<boolean> => {
      const record = await findImport(db, id)
      return record !== undefined && record.updatedAt < before && states.includes(record.state)
    }
    try {
      await clean(id, isStillIdle)
    } catch (error) {
      needs.log.error({ err: error, importId: id }, 'an old import could not be removed')
    }
  }
}
