import { Failure } from '../../core/errors/errors.ts'
import type { JobContext, JobHandler } from '../../core/jobs/jobs.ts'
import { without } from '../../core/values/defined.ts'
import type { ImportRecord, TaskCorrection, TaskRecord } from '../model/model.ts'
import { correctionEnded, importAfter, isCorrecting, now, taskAfter } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import {
  finalizeImport,
  findImport,
  findTask,
  getImport,
  removeOldRejects,
  removeUploadFolder,
  removeUploads,
  saveAndPublish,
  saveTask,
  saveTaskAndPublish,
} from '../records/records.ts'
import type { RunDeps } from './run-import.ts'
import { runTask } from './run-task.ts'
import type { StartDeps } from './start-run.ts'

export const correctionJob = 'import.mend'

/** Dependencies for loading corrected rows. */
export type LoadCorrectionsDeps = Pick<RunDeps, 'records' | 'locks' | 'tasks' | 'events'> & {
  folders: { uploads: string; rejects: string }
}

/** Loads of earlier corrected rows are recovered in the same job; maximum number of restarts. */
const maxRounds = 3

/** Starts the load of corrected rows. Run under the lock of the import. Returns the job to wait for. */
export async function startCorrection(
  { records, jobs }: Pick<StartDeps, 'records' | 'jobs'>,
  record: ImportRecord,
  task: TaskRecord,
  correcting: TaskCorrection,
): Promise<number> {
  const jobId = await records.database.transaction(async (db) => {
    const payload = { importId: record.id, taskId: task.id }
    const id = await jobs.enqueue(db, { kind: correctionJob, key: `import ${record.id}`, payload })
    await saveAndPublish(records, db, { ...importAfter(record, { type: 'mending' }), jobId: id })
    const begun = {
      ...taskAfter(task, { type: 'mending' }),
      mending: correcting,
      run: { jobId: id, attempt: 0 },
    }
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
  records: Keeping,
  task: TaskRecord,
  end: Parameters<typeof correctionEnded>[1],
): Promise<void> {
  const { run, ...ended } = correctionEnded(task, end)
  const unsettled = run?.load === undefined ? {} : { unsettled: run.load }
  await saveTaskAndPublish(records, records.database.kysely, { ...ended, ...unsettled })
}

/**
 * Ends the load of corrected rows: the task is complete, their upload is removed, and the state of the import
 * is derived from its tasks.
 */
export async function endCorrection(
  deps: LoadCorrectionsDeps,
  { importId, taskId }: { importId: number; taskId: number },
  end: Parameters<typeof correctionEnded>[1],
): Promise<void> {
  const { records, locks } = deps
  const db = records.database.kysely
  const task = await findTask(db, importId, taskId)
  if (task !== undefined && isCorrecting(task)) await giveUp(records, task, end)
  const state = await locks.ofImport(importId, () =>
    records.database.transaction(async (transaction) => {
      const record = without(await getImport(transaction, importId), 'jobId')
      const { state } = await finalizeImport(records, transaction, record)
      await deps.events.record(transaction, { name: 'import.completed', fact: { importId, state } })
      return state
    }),
  )
  if (state === 'COMPLETE') await removeUploads(deps.folders, importId, records.files)
  else if (task?.mending?.from !== undefined)
    await removeUploadFolder(deps.folders, importId, task.mending.from.upload)
  const left = await findTask(db, importId, taskId)
  if (left !== undefined && !isCorrecting(left)) await removeOldRejects(deps.folders, left)
  deps.events.emit('import.completed', { importId, state })
}

/**
 * Loads corrected rows. If recovering an earlier interrupted load has completed the task, the load runs
 * again.
 */
async function correct(
  deps: LoadCorrectionsDeps,
  importId: number,
  taskId: number,
  context: JobContext,
): Promise<void> {
  const { records, tasks } = deps
  const db = records.database.kysely
  for (let round = 1; round <= maxRounds; round += 1) {
    const task = await findTask(db, importId, taskId)
    if (task === undefined || !isCorrecting(task)) return
    if (task.state === 'COMPLETE') {
      const run = { jobId: context.jobId, attempt: 0 }
      await saveTaskAndPublish(records, db, { ...taskAfter(task, { type: 'mending' }), run })
    }
    await runTask(tasks, importId, taskId, {
      id: context.jobId,
      signal: context.signal,
      user: task.mending?.by,
    })
  }
}

/**
 * Job handler for corrected rows. A load whose process died is recovered, and runs again if it did not
 * commit.
 */
export function correctionHandler(deps: LoadCorrectionsDeps): JobHandler {
  return {
    run: async (payload, context) => {
      const [importId, taskId] = [Number(payload.importId), Number(payload.taskId)]
      const record = await findImport(deps.records.database.kysely, importId)
      if (record === undefined || record.jobId !== context.jobId) return
      await correct(deps, importId, taskId, context)
      const failed = { state: 'ERROR' as const, errorMessage: 'The load did not finish' }
      await endCorrection(deps, { importId, taskId }, failed)
    },
    abandoned: async (payload, reason) => {
      const [importId, taskId] = [Number(payload.importId), Number(payload.taskId)]
      if ((await findImport(deps.records.database.kysely, importId)) === undefined) return
      await endCorrection(deps, { importId, taskId }, { state: 'ERROR', errorMessage: reason })
    },
  }
}

/** Throws `Failure` if a task cannot accept corrected rows at present. */
export function refuseCorrection(record: ImportRecord, task: TaskRecord): void {
  if (record.state === 'INIT' || record.state === 'RUNNING') {
    throw new Failure(
      'conflict',
      'import-busy',
      `Import ${record.id} is ${record.state}: send the rows when its run has ended`,
    )
  }
  if (task.state !== 'COMPLETE') {
    const text = `Task ${task.id} is ${task.state} and has loaded nothing: correct its data and run it again`
    throw new Failure('conflict', 'task-not-complete', text)
  }
  if ((task.rejected ?? 0) > 0) return
  const { mended: corrected = 0 } = task
  const were = corrected === 0 ? '' : ` any more: ${corrected} were corrected and loaded`
  throw new Failure('conflict', 'no-rejects', `Task ${task.id} has no rejected rows${were}`)
}
