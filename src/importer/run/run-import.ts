import type { JobContext, JobHandler } from '../../jobs/jobs.ts'
import { taskAfter } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import {
  findImport,
  getImport,
  listTasks,
  removeUploads,
  saveTaskAndTell,
  settleImport,
} from '../records/records.ts'
import { archiveSource } from './archive-source.ts'
import { runTask } from './run-task.ts'

/** A job is taken over more often than a task is begun, since each death may hit another task. */
const maxJobAttempts = 100

/** Settles the import; with a signal its source is archived first, where that is wanted. */
async function endRun(parts: ImporterParts, importId: number, signal?: AbortSignal): Promise<void> {
  const before = await getImport(parts.database.kysely, importId)
  const messages = signal === undefined ? [] : await archiveSource(parts, before, signal)
  const state = await parts.locks.ofImport(importId, () =>
    parts.database.transaction(async (db) => {
      const { jobId: _jobId, ...record } = await getImport(db, importId)
      const settled = { ...record, messages: [...record.messages, ...messages] }
      return (await settleImport(parts, db, settled)).state
    }),
  )
  if (state === 'COMPLETE') await removeUploads(parts, importId)
  parts.events.emit('import.completed', { importId, state })
}

async function runTasks(parts: ImporterParts, importId: number, context: JobContext): Promise<void> {
  const { jobId, signal } = context
  const tasks = await listTasks(parts.database.kysely, importId)
  const waiting = tasks.filter((task) => task.run?.jobId === jobId).values()
  const work = async (): Promise<void> => {
    for (const task of waiting) {
      signal.throwIfAborted()
      await runTask(parts, importId, task.id, { id: jobId, signal })
    }
  }
  const width = Math.min(parts.limits.concurrentLoads, tasks.length)
  const results = await Promise.allSettled(Array.from({ length: width }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function failAll(parts: ImporterParts, importId: number, reason: string): Promise<void> {
  const db = parts.database.kysely
  for (const task of await listTasks(db, importId)) {
    if (task.run === undefined) continue
    const { run, ...failed } = taskAfter(task, { type: 'failed' })
    const unsettled = run?.load === undefined ? {} : { unsettled: run.load }
    await saveTaskAndTell(parts, db, { ...failed, ...unsettled, errorMessage: reason })
  }
}

/** Runs the tasks that were chosen when the run was started, and settles the import. */
export function runHandler(parts: ImporterParts): JobHandler {
  return {
    maxAttempts: maxJobAttempts,
    run: async (payload, context) => {
      const importId = Number(payload.importId)
      if ((await findImport(parts.database.kysely, importId)) === undefined) return
      await runTasks(parts, importId, context)
      await endRun(parts, importId, context.signal)
    },
    abandoned: async (payload, reason) => {
      const importId = Number(payload.importId)
      if ((await findImport(parts.database.kysely, importId)) === undefined) return
      await failAll(parts, importId, reason)
      await endRun(parts, importId)
    },
  }
}
