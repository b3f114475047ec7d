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
 * Takes away what a rehearsal of a task, or a load that was stopped, has staged and listed. What cannot be removed, since
 * its store is gone or does not answer, keeps nobody waiting.
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

/** As `removeStaged`, and the task knows nothing of it any more. Not of one that is being rehearsed. */
export async function dropTrial(needs: DropNeeds, task: TaskRecord): Promise<void> {
  if (task.trial === undefined) return
  await removeStaged(needs, task)
  const { records } = needs
  await saveTask(records.database.kysely, without(task, 'trial'), now(records))
}

/** An import none of whose tasks keeps anything of its rehearsal has none. */
export async function forgetRehearsal({ records }: DropNeeds, importId: number): Promise<ImportRecord> {
  const db = records.database.kysely
  const record = await getImport(db, importId)
  const { rehearsal } = record
  if (rehearsal === undefined || rehearsal.state === 'RUNNING') return record
  const tasks = await listTasks(db, importId)
  if (tasks.some(({ trial }) => trial !== undefined)) return record
  return saveAndTell(records, db, without(record, 'rehearsal'))
}

/** Takes away everything that is kept of an import's rehearsal; run it under the import's lock. */
export async function dropTrials(needs: DropNeeds, importId: number): Promise<ImportRecord> {
  for (const task of await listTasks(needs.records.database.kysely, importId)) {
    if (task.state !== 'RUNNING') await dropTrial(needs, task)
  }
  return forgetRehearsal(needs, importId)
}
