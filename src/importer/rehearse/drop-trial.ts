import { rm } from 'node:fs/promises'
import { without } from '../../lib/defined.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import {
  changesPath,
  getImport,
  listTasks,
  saveAndTell,
  saveTask,
  trialRejectsPath,
} from '../records/records.ts'
import type { RehearseNeeds } from './rehearse-needs.ts'

type DropNeeds = Pick<RehearseNeeds, 'records' | 'kinds' | 'folders' | 'sides' | 'log'>

/**
 * Removes the staged rows and lists of a dry run of a task, or of a load that was stopped. Failures, such as
 * a missing or unreachable store, are logged and do not block the caller.
 */
export async function removeStaged(
  { kinds, folders, sides, log }: Omit<DropNeeds, 'records'>,
  task: TaskRecord,
): Promise<void> {
  const { importId, id, trial } = task
  const load = trial?.load
  if (load !== undefined) {
    await kinds
      .ofLoad(load)
      .discard(load)
      .catch((error: unknown) =>
        log.warn({ err: error, importId, taskId: id }, 'staged rows were not removed'),
      )
  }
  await rm(trialRejectsPath({ folders }, importId, id), { force: true })
  await sides.remove(changesPath({ folders }, importId, id, 'trial'))
}

/** Like `removeStaged`, and clears the record on the task. Not for tasks in a running dry run. */
export async function dropTrial(needs: DropNeeds, task: TaskRecord): Promise<void> {
  if (task.trial === undefined) return
  await removeStaged(needs, task)
  const { records } = needs
  await saveTask(records.database.kysely, without(task, 'trial'), now(records))
}

/** Removes the dry run record of an import if none of its tasks retains results. */
export async function forgetRehearsal({ records }: DropNeeds, importId: number): Promise<ImportRecord> {
  const db = records.database.kysely
  const record = await getImport(db, importId)
  const { rehearsal } = record
  if (rehearsal === undefined || rehearsal.state === 'RUNNING') return record
  const tasks = await listTasks(db, importId)
  if (tasks.some(({ trial }) => trial !== undefined)) return record
  return saveAndTell(records, db, without(record, 'rehearsal'))
}

/** Removes all retained results of an import's dry run. Run under the lock of the import. */
export async function dropTrials(needs: DropNeeds, importId: number): Promise<ImportRecord> {
  for (const task of await listTasks(needs.records.database.kysely, importId)) {
    if (task.state !== 'RUNNING') await dropTrial(needs, task)
  }
  return forgetRehearsal(needs, importId)
}
