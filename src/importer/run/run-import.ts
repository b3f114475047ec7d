import type { Queryable } from '../../core/db/connection.ts'
import type { EventBus } from '../../core/events/events.ts'
import type { JobContext, JobHandler } from '../../core/jobs/jobs.ts'
import { without } from '../../core/values/defined.ts'
import { taskAfter } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import {
  finalizeImport,
  findImport,
  getImport,
  listTasks,
  removeUploads,
  saveTaskAndPublish,
} from '../records/records.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { ArchiveDeps } from './archive-source.ts'
import { archiveSource } from './archive-source.ts'
import type { TaskDeps } from './run-task.ts'
import { runTask } from './run-task.ts'

/** A job is retried more often than a task, since each crash may affect another task. */
const maxJobAttempts = 100

export interface RunDeps {
  records: Keeping
  locks: ImportLocks
  tasks: TaskDeps
  archive: ArchiveDeps
  folders: { uploads: string }
  events: EventBus
}

/** Updates the state of the import. With a signal, its source is archived first if requested. */
async function endRun(deps: RunDeps, importId: number, signal?: AbortSignal): Promise<void> {
  const before = await getImport(deps.records.database.kysely, importId)
  const messages = signal === undefined ? [] : await archiveSource(deps.archive, before, signal)
  const state = await deps.locks.ofImport(importId, () =>
    deps.records.database.transaction(async (db) => {
      const record = without(await getImport(db, importId), 'jobId')
      const settled = { ...record, messages: [...record.messages, ...messages] }
      const { state } = await finalizeImport(deps.records, db, settled)
      await deps.events.record(db, { name: 'import.completed', fact: { importId, state } })
      return state
    }),
  )
  if (state === 'COMPLETE') await removeUploads(deps.folders, importId, deps.records.files)
  deps.events.emit('import.completed', { importId, state })
}

async function runTasks(
  db: Queryable,
  taskDeps: TaskDeps,
  { importId, user }: { importId: number; user: string | undefined },
  context: JobContext,
): Promise<void> {
  const { jobId, signal } = context
  const tasks = await listTasks(db, importId)
  const waiting = tasks.filter((task) => task.run?.jobId === jobId).values()
  const work = async (): Promise<void> => {
    for (const task of waiting) {
      signal.throwIfAborted()
      await runTask(taskDeps, importId, task.id, { id: jobId, signal, user })
    }
  }
  const width = Math.min(taskDeps.width, tasks.length)
  const results = await Promise.allSettled(Array.from({ length: width }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function failAll(records: Keeping, importId: number, reason: string): Promise<void> {
  const db = records.database.kysely
  for (const task of await listTasks(db, importId)) {
    if (task.run === undefined) continue
    const { run, ...failed } = taskAfter(task, { type: 'failed' })
    const unsettled = run?.load === undefined ? {} : { unsettled: run.load }
    await saveTaskAndPublish(records, db, { ...failed, ...unsettled, errorMessage: reason })
  }
}

/** Job handler that runs the tasks chosen at the start of the run, and updates the import. */
export function runHandler(deps: RunDeps): JobHandler {
  return {
    maxAttempts: maxJobAttempts,
    run: async (payload, context) => {
      const importId = Number(payload.importId)
      if ((await findImport(deps.records.database.kysely, importId)) === undefined) return
      const user = typeof payload.user === 'string' ? payload.user : undefined
      await runTasks(deps.records.database.kysely, deps.tasks, { importId, user }, context)
      await endRun(deps, importId, context.signal)
    },
    abandoned: async (payload, reason) => {
      const importId = Number(payload.importId)
      if ((await findImport(deps.records.database.kysely, importId)) === undefined) return
      await failAll(deps.records, importId, reason)
      await endRun(deps, importId)
    },
  }
}
