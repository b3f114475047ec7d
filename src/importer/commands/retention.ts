import type { Catalog } from '../../catalog/index.ts'
import type { Queryable } from '../../core/db/connection.ts'
import type { Logger } from '../../core/log/logger.ts'
import { sweepDryRuns } from '../dry-run/dry-run.ts'
import type { ImportState } from '../model/model.ts'
import { findImport, listIdleImports, removeUploads } from '../records/records.ts'
import type { CancelDeps } from './cancel.ts'
import { removeImport } from './cancel.ts'
import { removeReplacedGranules, removeUnusedFolders } from './unused-folders.ts'

const dayMs = 86_400_000
const finished: readonly ImportState[] = ['COMPLETE', 'COMPLETE_ERROR']
const unfinished: readonly ImportState[] = ['INIT_ERROR', 'PENDING', 'READY']

export interface RetentionDeps {
  cancel: CancelDeps
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
export async function applyRetention(deps: RetentionDeps): Promise<void> {
  const { records, locks, folders, runningDryRun } = deps.cancel
  const db = records.database.kysely
  const before = (days: number): string =>
    new Date(records.clock.now().getTime() - days * dayMs).toISOString()
  const { uploadDays, importDays } = deps.keep
  await removeReplacedGranules(deps.folders.stores, deps.log)
  await forEachIdle(db, deps.log, [...unfinished, 'COMPLETE_ERROR'], before(uploadDays), (id, isStillIdle) =>
    locks.ofImport(id, async () => {
      if (await isStillIdle()) await removeUploads(folders, id, records.files)
    }),
  )
  await sweepDryRuns(runningDryRun)
  await removeUnusedFolders({ ...deps, database: records.database }, before(1))
  await forEachIdle(db, deps.log, finished, before(importDays), async (id, isStillIdle) => {
    if (await isStillIdle()) await removeImport(deps.cancel, id)
  })
}

/** Cleans up idle imports. A failure of one import does not stop the others. */
async function forEachIdle(
  db: Queryable,
  log: Logger,
  states: readonly ImportState[],
  before: string,
  clean: (id: number, isStillIdle: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  for (const id of await listIdleImports(db, states, before)) {
    const isStillIdle = async (): Promise<boolean> => {
      const record = await findImport(db, id)
      return record !== undefined && record.updatedAt < before && states.includes(record.state)
    }
    try {
      await clean(id, isStillIdle)
    } catch (error) {
      log.error({ err: error, importId: id }, 'an old import could not be removed')
    }
  }
}
