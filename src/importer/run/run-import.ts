import type { JobContext, JobHandler } from '../../jobs/jobs.ts'
import { without } from '../../lib/defined.ts'
import type { EventBus } from '../../lib/events.ts'
import type { ImportLocks } from '../live/live.ts'
import { taskAfter } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import {
  findImport,
  getImport,
  listTasks,
  removeUploads,
  saveTaskAndTell,
  settleImport,
} from '../records/records.ts'
import type { ArchiveNeeds } from './archive-source.ts'
import { archiveSource } from './archive-source.ts'
import type { TaskNeeds } from './run-task.ts'
import { runTask } from './run-task.ts'

/** A job is retried more often than a task, since each crash may affect another task. */
const maxJobAttempts = 100

export interface RunNeeds {
  records: Keeping
  locks: ImportLocks
  tasks: TaskNeeds
  archive: ArchiveNeeds
  folders: { uploads: string }
  events: EventBus
}

/** Updates the state of the import. With a signal, its source is archived first if requested. */
async function endRun(needs: RunNeeds, importId: number, signal?: AbortSignal): Promise<void> {
  const before = await getImport(needs.records.database.kysely, importId)
  const messages = signal === undefined ? [] : await archiveSource(needs.archive, before, signal)
  const state = await needs.locks.ofImport(importId, () =>
    needs.records.database.transaction(async (db) => {
      const record = without(await getImport(db, importId), 'jobId')
      const settled = { ...record, messages: [...record.messages, ...messages] }
      return (await settleImport(needs.records, db, settled)).state
    }),
  )
  if (state === 'COMPLETE') await removeUploads(needs, importId)
  needs.events.emit('import.completed', { importId, state })
}

async function runTasks(needs: RunNeeds, importId: number, context: JobContext): Promise<void> {
  const { jobId, signal } = context
  const tasks = await listTasks(needs.records.database.kysely, importId)
  const waiting = tasks.filter((task) => task.run?.jobId === jobId).values()
  const work = async (): Promise<void> => {
    for (const task of waiting) {
      signal.throwIfAborted()
      await runTask(needs.tasks, importId, task.id, { id: jobId, signal })
    }
  }
  const width = Math.min(needs.tasks.width, tasks.length)
  const results = await Promise.allSettled(Array.from({ length: width }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function failAll(needs: RunNeeds, importId: number, reason: string): Promise<void> {
  const db = needs.records.database.kysely
  for (const task of await listTasks(db, importId)) {
    if (task.run === undefined) continue
    const { run, ...failed } = taskAfter(task, { type: 'failed' })
    const unsettled = run?.load === undefined ? {} : { unsettled: run.load }
    await saveTaskAndTell(needs.records, db, { ...failed, ...unsettled, errorMessage: reason })
  }
}

/** Job handler that runs the tasks chosen at the start of the run, and updates the import. */
export function runHandler(needs: RunNeeds): JobHandler {
  return {
    maxAttempts: maxJobAttempts,
    run: async (payload, context) => {
      const importId = Number(payload.importId)
      if ((await findImport(needs.records.database.kysely, importId)) === undefined) return
      await runTasks(needs, importId, context)
      await endRun(needs, importId, context.signal)
    },
    abandoned: async (payload, reason) => {
      const importId = Number(payload.importId)
      if ((await findImport(needs.records.database.kysely, importId)) === undefined) return
      await failAll(needs, importId, reason)
      await endRun(needs, importId)
    },
  }
}
