import type { Broadcast } from '../../db/broadcast.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { without } from '../../lib/defined.ts'
import { Failure } from '../../lib/errors.ts'
import { type ImportLocks, type RunningTable, stopFetches, stopWork } from '../live/live.ts'
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
  saveTaskAndTell,
} from '../records/records.ts'
import type { RehearseNeeds } from '../rehearse/rehearse.ts'
import { dropTrials, endRehearsal } from '../rehearse/rehearse.ts'
import type { MendNeeds } from '../run/run.ts'
import { endMending, failPreparation } from '../run/run.ts'

export interface CancelNeeds {
  records: Keeping
  jobs: Jobs
  stop: { broadcast: Broadcast; running: RunningTable }
  locks: ImportLocks
  folders: { uploads: string; rejects: string; sides: string }
  rehearsing: RehearseNeeds
  mending: MendNeeds
}

/** Marks a queued task as CANCELED immediately. Returns false if the task has started in the meantime. */
async function cancelWaiting(needs: CancelNeeds, task: TaskRecord): Promise<boolean> {
  const canceled = without(taskAfter(task, { type: 'canceled' }), 'run')
  try {
    await saveTaskAndTell(needs.records, needs.records.database.kysely, canceled)
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'changed-meanwhile') return false
    throw error
  }
}

/** Cancels a running or queued task and waits until the task has stopped. Does nothing for other tasks. */
export async function cancelTask(needs: CancelNeeds, importId: number, taskId: number): Promise<void> {
  const db = needs.records.database.kysely
  const { run, rehearsing, mending } = await getTask(db, importId, taskId)
  if (rehearsing !== undefined) await cancelRehearsal(needs, await getImport(db, importId))
  if (run === undefined) return
  if (mending?.state === 'RUNNING' && (await needs.jobs.withdraw(run.jobId))) {
    await endMending(needs.mending, { importId, taskId }, { state: 'CANCELED' })
    return
  }
  await stopWork(needs.stop, { importId, taskId }, async () => {
    const task = await findTask(db, importId, taskId)
    if (task?.run?.jobId !== run.jobId) return true
    return task.state !== 'RUNNING' && cancelWaiting(needs, task)
  })
}

/** Cancels a fetch or scan. A queued one is never started. */
async function cancelPreparation(needs: CancelNeeds, { id, jobId }: ImportRecord): Promise<void> {
  if (jobId === undefined) return
  if (await needs.jobs.withdraw(jobId)) {
    await failPreparation(needs, id, 'It was cancelled before it began')
    return
  }
  await stopWork(needs.stop, { importId: id }, async () => {
    const record = await findImport(needs.records.database.kysely, id)
    return record?.state !== 'INIT' || record.jobId !== jobId
  })
}

/** Cancels a dry run with all its tasks. Does nothing if no dry run is in progress. */
async function cancelRehearsal(needs: CancelNeeds, { id, rehearsal }: ImportRecord): Promise<void> {
  if (rehearsal?.state !== 'RUNNING') return
  if (await needs.jobs.withdraw(rehearsal.jobId)) {
    await endRehearsal(needs.rehearsing, id, 'CANCELED')
    return
  }
  await stopWork(needs.stop, { importId: id }, async () => {
    const record = await findImport(needs.records.database.kysely, id)
    return record?.rehearsal?.state !== 'RUNNING'
  })
}

/** Cancels every task of an import, the preparation of its data, and fetches for uploads. */
export async function cancelImport(needs: CancelNeeds, importId: number): Promise<void> {
  const record = await getImport(needs.records.database.kysely, importId)
  if (record.state === 'INIT') await cancelPreparation(needs, record)
  await cancelRehearsal(needs, record)
  await stopFetches(needs.stop, importId)
  const tasks = await listTasks(needs.records.database.kysely, importId)
  const waiting = tasks.filter((task) => task.state !== 'RUNNING')
  const running = tasks.filter((task) => task.state === 'RUNNING')
  for (const task of waiting) await cancelTask(needs, importId, task.id)
  await Promise.all(running.map((task) => cancelTask(needs, importId, task.id)))
}

const endMs = 10_000

/** Cancels a running dry run and removes its staged data and its results. */
export async function dropRehearsal(needs: CancelNeeds, importId: number): Promise<void> {
  await cancelRehearsal(needs, await getImport(needs.records.database.kysely, importId))
  await needs.locks.ofImport(importId, () => dropTrials(needs.rehearsing, importId))
}

/**
 * Cancels running work, then removes the record, its uploads and its rejected rows; published layers remain.
 */
export async function removeImport(
  needs: CancelNeeds,
  importId: number,
  check?: (record: ImportRecord) => void,
): Promise<void> {
  const db = needs.records.database.kysely
  check?.(await getImport(db, importId))
  await cancelImport(needs, importId)
  const { jobId } = (await findImport(db, importId)) ?? {}
  if (jobId !== undefined && !(await needs.jobs.withdraw(jobId))) {
    await needs.jobs.wait(jobId, AbortSignal.timeout(endMs))
  }
  await needs.locks.ofImport(importId, async () => {
    await dropTrials(needs.rehearsing, importId)
    await needs.records.database.transaction((transaction) => deleteImport(transaction, importId))
    await removeUploads(needs, importId)
    await removeRejects(needs, importId)
    await removeChanges(needs, importId)
    needs.records.progress.forget(importId)
  })
}
