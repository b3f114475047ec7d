import { Failure } from '../../lib/errors.ts'
import { stopFetches, stopWork } from '../live/live.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { taskAfter } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import {
  deleteImport,
  findImport,
  findTask,
  getImport,
  getTask,
  listTasks,
  removeRejects,
  removeUploads,
  saveTaskAndTell,
} from '../records/records.ts'
import { failPreparation } from '../run/prepare-import.ts'

/** A task that waits for its turn is CANCELED at once; false where it has begun meanwhile. */
async function cancelWaiting(parts: ImporterParts, task: TaskRecord): Promise<boolean> {
  const { run: _run, ...canceled } = taskAfter(task, { type: 'canceled' })
  try {
    await saveTaskAndTell(parts, parts.database.kysely, canceled)
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'changed-meanwhile') return false
    throw error
  }
}

/** Stops a task that runs or waits for its turn; does nothing to others. Ends when it has stopped. */
export async function cancelTask(parts: ImporterParts, importId: number, taskId: number): Promise<void> {
  const db = parts.database.kysely
  const { run } = await getTask(db, importId, taskId)
  if (run === undefined) return
  await stopWork(parts, { importId, taskId }, async () => {
    const task = await findTask(db, importId, taskId)
    if (task?.run?.jobId !== run.jobId) return true
    return task.state !== 'RUNNING' && cancelWaiting(parts, task)
  })
}

/** Stops a fetch or scan; one that waits for its turn does not begin. */
async function cancelPreparation(parts: ImporterParts, { id, jobId }: ImportRecord): Promise<void> {
  if (jobId === undefined) return
  if (await parts.jobs.withdraw(jobId)) {
    await failPreparation(parts, id, 'It was cancelled before it began')
    return
  }
  await stopWork(parts, { importId: id }, async () => {
    const record = await findImport(parts.database.kysely, id)
    return record?.state !== 'INIT' || record.jobId !== jobId
  })
}

/** Stops every task of an import, the preparation of its data, and fetches for uploads to it. */
export async function cancelImport(parts: ImporterParts, importId: number): Promise<void> {
  const record = await getImport(parts.database.kysely, importId)
  if (record.state === 'INIT') await cancelPreparation(parts, record)
  await stopFetches(parts, importId)
  const tasks = await listTasks(parts.database.kysely, importId)
  const waiting = tasks.filter((task) => task.state !== 'RUNNING')
  const running = tasks.filter((task) => task.state === 'RUNNING')
  for (const task of waiting) await cancelTask(parts, importId, task.id)
  await Promise.all(running.map((task) => cancelTask(parts, importId, task.id)))
}

const endMs = 10_000

/** Cancels what runs, then removes the record, its uploads and its rejects; published layers stay. */
export async function removeImport(
  parts: ImporterParts,
  importId: number,
  check?: (record: ImportRecord) => void,
): Promise<void> {
  const db = parts.database.kysely
  check?.(await getImport(db, importId))
  await cancelImport(parts, importId)
  const { jobId } = (await findImport(db, importId)) ?? {}
  if (jobId !== undefined && !(await parts.jobs.withdraw(jobId))) {
    await parts.jobs.wait(jobId, AbortSignal.timeout(endMs))
  }
  await parts.locks.ofImport(importId, async () => {
    await parts.database.transaction((transaction) => deleteImport(transaction, importId))
    await removeUploads(parts, importId)
    await removeRejects(parts, importId)
    parts.progress.forget(importId)
  })
}
