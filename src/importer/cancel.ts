import { deleteImport, findImport, getImport } from './import-repository.ts'
import type { ImporterParts } from './parts.ts'
import type { ImportRecord } from './records.ts'
import { saveTaskAndTell, taskAfter } from './settle.ts'
import { findTask, getTask, listTasks } from './task-repository.ts'
import { removeRejects, removeUploads } from './upload-folders.ts'

/** Stops a task that runs or waits for its turn; does nothing to others. Ends when it has stopped. */
export async function cancelTask(parts: ImporterParts, importId: number, taskId: number): Promise<void> {
  const task = await getTask(parts.database.kysely, importId, taskId)
  if (task.run === undefined) return
  if (await parts.running.cancel(importId, taskId)) return
  const current = await findTask(parts.database.kysely, importId, taskId)
  if (current?.run === undefined || current.state === 'RUNNING') return
  const { run: _run, ...canceled } = taskAfter(current, { type: 'canceled' })
  await saveTaskAndTell(parts, parts.database.kysely, canceled)
}

/** Stops every task of an import, the preparation of its data, and fetches for uploads to it. */
export async function cancelImport(parts: ImporterParts, importId: number): Promise<void> {
  const { state } = await getImport(parts.database.kysely, importId)
  if (state === 'INIT') await parts.running.cancel(importId)
  await parts.running.cancelFetches(importId)
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
  await parts.running.cancel(importId)
  const { jobId } = (await findImport(db, importId)) ?? {}
  if (jobId !== undefined) await parts.jobs.wait(jobId, AbortSignal.timeout(endMs))
  await parts.locks.ofImport(importId, async () => {
    await parts.database.transaction((transaction) => deleteImport(transaction, importId))
    await removeUploads(parts, importId)
    await removeRejects(parts, importId)
    parts.progress.forget(importId)
  })
}
