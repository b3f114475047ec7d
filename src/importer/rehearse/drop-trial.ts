import { without } from '../../lib/defined.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import { getImport, listTasks, removeTrialFiles, saveAndTell, saveTask } from '../records/records.ts'
import type { RehearseNeeds } from './rehearse-needs.ts'

type DropNeeds = Pick<RehearseNeeds, 'records' | 'kinds' | 'folders' | 'log'>

/**
 * Takes away what a rehearsal of a task, or a load that was stopped, has staged and listed. What cannot be removed, since
 * its store is gone or does not answer, keeps nobody waiting.
 */
export async function removeStaged(
  { kinds, folders, log }: Omit<DropNeeds, 'records'>,
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
  await removeTrialFiles({ folders }, importId, id)
}

/** As `removeStaged`, and the task knows nothing of it any more. Not of one that is being rehearsed. */
async function dropTrial(needs: DropNeeds, task: TaskRecord): Promise<void> {
  if (task.trial === undefined) return
  await removeStaged(needs, task)
  const { records } = needs
  await saveTask(records.database.kysely, without(task, 'trial'), now(records))
}

/** Takes away everything that is kept of an import's rehearsal; run it under the import's lock. */
export async function dropTrials(needs: DropNeeds, importId: number): Promise<ImportRecord> {
  const { records } = needs
  const db = records.database.kysely
  for (const task of await listTasks(db, importId)) {
    if (task.state !== 'RUNNING') await dropTrial(needs, task)
  }
  const record = await getImport(db, importId)
  if (record.rehearsal === undefined || record.rehearsal.state === 'RUNNING') return record
  return saveAndTell(records, db, without(record, 'rehearsal'))
}
