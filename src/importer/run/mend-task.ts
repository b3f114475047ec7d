import type { JobContext, JobHandler } from '../../jobs/jobs.ts'
import { without } from '../../lib/defined.ts'
import { Failure } from '../../lib/errors.ts'
import type { ImportRecord, TaskMending, TaskRecord } from '../model/model.ts'
import { importAfter, isMending, mendingEnded, now, taskAfter } from '../model/model.ts'
import {
  findImport,
  findTask,
  getImport,
  removeOldRejects,
  removeUpload,
  removeUploads,
  saveAndTell,
  saveTask,
  saveTaskAndTell,
  settleImport,
} from '../records/records.ts'
import type { RunNeeds } from './run-import.ts'
import { runTask } from './run-task.ts'
import type { StartNeeds } from './start-run.ts'

export const mendJob = 'import.mend'

/** Dependencies for loading corrected rows. */
export type MendNeeds = Pick<RunNeeds, 'records' | 'locks' | 'tasks' | 'events'> & {
  folders: { uploads: string; rejects: string }
}

/** Loads of earlier corrected rows are recovered in the same job; maximum number of restarts. */
const maxRounds = 3

/** Starts the load of corrected rows. Run under the lock of the import. Returns the job to wait for. */
export async function startMending(
  { records, jobs }: Pick<StartNeeds, 'records' | 'jobs'>,
  record: ImportRecord,
  task: TaskRecord,
  mending: TaskMending,
): Promise<number> {
  const jobId = await records.database.transaction(async (db) => {
    const payload = { importId: record.id, taskId: task.id }
    const id = await jobs.enqueue(db, { kind: mendJob, key: `import ${record.id}`, payload })
    await saveAndTell(records, db, { ...importAfter(record, { type: 'mending' }), jobId: id })
    const begun = { ...taskAfter(task, { type: 'mending' }), mending, run: { jobId: id, attempt: 0 } }
    await saveTask(db, begun, now(records))
    return id
  })
  jobs.wake()
  return jobId
}

/**
 * Restores the state of a task whose corrected rows are abandoned. Whether their load committed is determined
 * later.
 */
async function giveUp(
  { records }: MendNeeds,
  task: TaskRecord,
  end: Parameters<typeof mendingEnded>[1],
): Promise<void> {
  const { run, ...ended } = mendingEnded(task, end)
  const unsettled = run?.load === undefined ? {} : { unsettled: run.load }
  await saveTaskAndTell(records, records.database.kysely, { ...ended, ...unsettled })
}

/**
 * Ends the load of corrected rows: the task is complete, their upload is removed, and the state of the import
 * is derived from its tasks.
 */
export async function endMending(
  needs: MendNeeds,
  { importId, taskId }: { importId: number; taskId: number },
  end: Parameters<typeof mendingEnded>[1],
): Promise<void> {
  const { records, locks } = needs
  const db = records.database.kysely
  const task = await findTask(db, importId, taskId)
  if (task !== undefined && isMending(task)) await giveUp(needs, task, end)
  const state = await locks.ofImport(importId, () =>
    records.database.transaction(async (transaction) => {
      const record = without(await getImport(transaction, importId), 'jobId')
      return (await settleImport(records, transaction, record)).state
    }),
  )
  if (state === 'COMPLETE') await removeUploads(needs, importId)
  else if (task?.mending?.from !== undefined) await removeUpload(needs, importId, task.mending.from.upload)
  const left = await findTask(db, importId, taskId)
  if (left !== undefined && !isMending(left)) await removeOldRejects(needs, left)
  needs.events.emit('import.completed', { importId, state })
}

/**
 * Loads corrected rows. If recovering an earlier interrupted load has completed the task, the load runs
 * again.
 */
async function mend(needs: MendNeeds, importId: number, taskId: number, context: JobContext): Promise<void> {
  const { records, tasks } = needs
  const db = records.database.kysely
  for (let round = 1; round <= maxRounds; round += 1) {
    const task = await findTask(db, importId, taskId)
    if (task === undefined || !isMending(task)) return
    if (task.state === 'COMPLETE') {
      const run = { jobId: context.jobId, attempt: 0 }
      await saveTaskAndTell(records, db, { ...taskAfter(task, { type: 'mending' }), run })
    }
    await runTask(tasks, importId, taskId, { id: context.jobId, signal: context.signal })
  }
}

/**
 * Job handler for corrected rows. A load whose process died is recovered, and runs again if it did not
 * commit.
 */
export function mendHandler(needs: MendNeeds): JobHandler {
  return {
    run: async (payload, context) => {
      const [importId, taskId] = [Number(payload.importId), Number(payload.taskId)]
      const record = await findImport(needs.records.database.kysely, importId)
      if (record === undefined || record.jobId !== context.jobId) return
      await mend(needs, importId, taskId, context)
      const failed = { state: 'ERROR' as const, errorMessage: 'The load did not come to its end' }
      await endMending(needs, { importId, taskId }, failed)
    },
    abandoned: async (payload, reason) => {
      const [importId, taskId] = [Number(payload.importId), Number(payload.taskId)]
      if ((await findImport(needs.records.database.kysely, importId)) === undefined) return
      await endMending(needs, { importId, taskId }, { state: 'ERROR', errorMessage: reason })
    },
  }
}

/** Throws `Failure` if a task cannot accept corrected rows at present. */
export function refuseMending(record: ImportRecord, task: TaskRecord): void {
  if (record.state === 'INIT' || record.state === 'RUNNING') {
    throw new Failure(
      'conflict',
      'import-busy',
      `Import ${record.id} is ${record.state}: send the rows when that has ended`,
    )
  }
  if (task.state !== 'COMPLETE') {
    const text = `Task ${task.id} is ${task.state}: nothing of it is loaded, so mend its data and run it`
    throw new Failure('conflict', 'task-not-complete', text)
  }
  if ((task.rejected ?? 0) > 0) return
  const { mended = 0 } = task
  const were = mended === 0 ? '' : ` any more: ${mended} were mended and loaded`
  throw new Failure('conflict', 'no-rejects', `Task ${task.id} has no rejected rows${were}`)
}
