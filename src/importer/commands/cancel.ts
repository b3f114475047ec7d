import type { Broadcast } from '../../core/db/broadcast.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import { without } from '../../core/values/defined.ts'
import type { DryRunDeps } from '../dry-run/dry-run.ts'
import { dropDryRuns, endDryRun } from '../dry-run/dry-run.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { taskAfter } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import {
  deleteImport,
  findImport,
  findTask,
  getImport,
  getTask,
  listTasks,
  removeChanges,
  removeRejects,
  removeUploads,
  saveTaskAndPublish,
} from '../records/records.ts'
import type { LoadCorrectionsDeps } from '../run/run.ts'
import { endCorrection, failPreparation } from '../run/run.ts'
import { type ImportLocks, type RunningTable, stopFetches, stopWork } from '../runtime/runtime.ts'

export interface CancelDeps {
  records: Keeping
  jobs: Jobs
  stop: { broadcast: Broadcast; running: RunningTable }
  locks: ImportLocks
  folders: { uploads: string; rejects: string; sides: string }
  runningDryRun: DryRunDeps
  correcting: LoadCorrectionsDeps
}

/** Marks a queued task as CANCELED immediately. Returns false if the task has started in the meantime. */
async function cancelWaiting(records: Keeping, task: TaskRecord): Promise<boolean> {
  const canceled = without(taskAfter(task, { type: 'canceled' }), 'run')
  try {
    await saveTaskAndPublish(records, records.database.kysely, canceled)
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'changed-meanwhile') return false
    throw error
  }
}

/** Cancels a running or queued task and waits until the task has stopped. Does nothing for other tasks. */
export async function cancelTask(deps: CancelDeps, importId: number, taskId: number): Promise<void> {
  const db = deps.records.database.kysely
  const { run, runningDryRun, mending: correcting } = await getTask(db, importId, taskId)
  if (runningDryRun !== undefined) await cancelDryRun(deps, await getImport(db, importId))
  if (run === undefined) return
  if (correcting?.state === 'RUNNING' && (await deps.jobs.withdraw(run.jobId))) {
    await endCorrection(deps.correcting, { importId, taskId }, { state: 'CANCELED' })
    return
  }
  await stopWork(deps.stop, { importId, taskId }, async () => {
    const task = await findTask(db, importId, taskId)
    if (task?.run?.jobId !== run.jobId) return true
    return task.state !== 'RUNNING' && cancelWaiting(deps.records, task)
  })
}

/** Cancels a fetch or scan. A queued one is never started. */
async function cancelPreparation(deps: CancelDeps, { id, jobId }: ImportRecord): Promise<void> {
  if (jobId === undefined) return
  if (await deps.jobs.withdraw(jobId)) {
    await failPreparation(deps, id, 'The task was cancelled before it started')
    return
  }
  await stopWork(deps.stop, { importId: id }, async () => {
    const record = await findImport(deps.records.database.kysely, id)
    return record?.state !== 'INIT' || record.jobId !== jobId
  })
}

/** Cancels a dry run with all its tasks. Does nothing if no dry run is in progress. */
async function cancelDryRun(deps: CancelDeps, { id, dryRun }: ImportRecord): Promise<void> {
  if (dryRun?.state !== 'RUNNING') return
  if (await deps.jobs.withdraw(dryRun.jobId)) {
    await endDryRun(deps.runningDryRun, id, 'CANCELED')
    return
  }
  await stopWork(deps.stop, { importId: id }, async () => {
    const record = await findImport(deps.records.database.kysely, id)
    return record?.dryRun?.state !== 'RUNNING'
  })
}

/** Cancels every task of an import, the preparation of its data, and fetches for uploads. */
export async function cancelImport(deps: CancelDeps, importId: number): Promise<void> {
  const record = await getImport(deps.records.database.kysely, importId)
  if (record.state === 'INIT') await cancelPreparation(deps, record)
  await cancelDryRun(deps, record)
  await stopFetches(deps.stop, importId)
  const tasks = await listTasks(deps.records.database.kysely, importId)
  const waiting = tasks.filter((task) => task.state !== 'RUNNING')
  const running = tasks.filter((task) => task.state === 'RUNNING')
  for (const task of waiting) await cancelTask(deps, importId, task.id)
  await Promise.all(running.map((task) => cancelTask(deps, importId, task.id)))
}

const endMs = 10_000

/** Cancels a running dry run and removes its staged data and its results. */
export async function dropDryRun(deps: CancelDeps, importId: number): Promise<void> {
  await cancelDryRun(deps, await getImport(deps.records.database.kysely, importId))
  await deps.locks.ofImport(importId, () => dropDryRuns(deps.runningDryRun, importId))
}

/**
 * Cancels running work, then removes the record, its uploads and its rejected rows; published layers remain.
 */
export async function removeImport(
  deps: CancelDeps,
  importId: number,
  check?: (record: ImportRecord) => void,
): Promise<void> {
  const db = deps.records.database.kysely
  check?.(await getImport(db, importId))
  await cancelImport(deps, importId)
  const { jobId } = (await findImport(db, importId)) ?? {}
  if (jobId !== undefined && !(await deps.jobs.withdraw(jobId))) {
    await deps.jobs.wait(jobId, AbortSignal.timeout(endMs))
  }
  await deps.locks.ofImport(importId, async () => {
    await dropDryRuns(deps.runningDryRun, importId)
    await deps.records.database.transaction((transaction) => deleteImport(transaction, importId))
    await removeUploads(deps.folders, importId, deps.records.files)
    await removeRejects(deps.folders, importId, deps.records.files)
    await removeChanges(deps.folders, importId, deps.records.files)
    deps.records.progress.forget(importId)
  })
}
