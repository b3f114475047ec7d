import { rm } from 'node:fs/promises'
import { without } from '../../core/values/defined.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import {
  changesPath,
  dryRunRejectsPath,
  getImport,
  listTasks,
  saveAndPublish,
  saveTask,
} from '../records/records.ts'
import type { DryRunDeps } from './dry-run-deps.ts'

type DropDeps = Pick<DryRunDeps, 'records' | 'kinds' | 'folders' | 'sides' | 'log'>

/**
 * Removes the staged rows and lists of a dry run of a task, or of a load that was stopped. Failures, such as
 * a missing or unreachable store, are logged and do not block the caller.
 */
export async function removeStagedDryRun(
  { kinds, folders, sides, log }: Omit<DropDeps, 'records'>,
  task: TaskRecord,
): Promise<void> {
  const { importId, id, trial: dryRun } = task
  const load = dryRun?.load
  if (load !== undefined) {
    await kinds
      .ofLoad(load)
      .discard(load)
      .catch((error: unknown) =>
        log.warn({ err: error, importId, taskId: id }, 'staged rows were not removed'),
      )
  }
  await rm(dryRunRejectsPath(folders, importId, id), { force: true })
  await sides.remove(changesPath(folders, importId, id, 'trial'))
}

/** Like `removeStagedDryRun`, and clears the record on the task. Not for tasks in a running dry run. */
export async function dropDryRun(deps: DropDeps, task: TaskRecord): Promise<void> {
  if (task.trial === undefined) return
  await removeStagedDryRun(deps, task)
  const { records } = deps
  await saveTask(records.database.kysely, without(task, 'trial'), now(records))
}

/** Removes the dry run record of an import if none of its tasks retains results. */
export async function forgetDryRun(records: Keeping, importId: number): Promise<ImportRecord> {
  const db = records.database.kysely
  const record = await getImport(db, importId)
  const { dryRun } = record
  if (dryRun === undefined || dryRun.state === 'RUNNING') return record
  const tasks = await listTasks(db, importId)
  if (tasks.some(({ trial: dryRun }) => dryRun !== undefined)) return record
  return saveAndPublish(records, db, without(record, 'dryRun'))
}

/** Removes all retained results of an import's dry run. Run under the lock of the import. */
export async function dropDryRuns(deps: DropDeps, importId: number): Promise<ImportRecord> {
  for (const task of await listTasks(deps.records.database.kysely, importId)) {
    if (task.state !== 'RUNNING') await dropDryRun(deps, task)
  }
  return forgetDryRun(deps.records, importId)
}
