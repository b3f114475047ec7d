import type { Permit } from '../../access/index.ts'
import { isCatalogueAway } from '../../core/db/errors.ts'
import { explain, Failure } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import { leaveStuckWork, WorkLeft } from '../../core/workers/leave-stuck-work.ts'
import { findTask, getImport, getTask } from '../records/records.ts'
import type { RunningTable } from '../runtime/runtime.ts'
import { deafMs, LoadCanceled, publishEnded } from '../runtime/runtime.ts'
import { requirePermit } from './require-permit.ts'
import type { AttemptDeps } from './run-attempt.ts'
import type { WaitOptions } from './run-attempts.ts'
import { runAttempts } from './run-attempts.ts'
import type { OwnerDeps } from './running-task.ts'
import { RunningTask } from './running-task.ts'

export interface TaskDeps {
  permit: Permit
  owner: OwnerDeps
  attempt: AttemptDeps & WaitOptions
  running: RunningTable
  events: EventBus
  /** Maximum number of concurrent tasks of one import. */
  width: number
}

/**
 * Runs one task of a job to its end. Throws only on shutdown of the server; all other errors are stored on
 * the task.
 */
export async function runTask(
  deps: TaskDeps,
  importId: number,
  taskId: number,
  job: { id: number; signal: AbortSignal; user: string | undefined },
): Promise<void> {
  const db = deps.owner.database.kysely
  const { log } = deps.attempt
  const found = await findTask(db, importId, taskId)
  if (found === undefined || found.run?.jobId !== job.id) return
  const owner = new RunningTask(deps.owner, { record: await getImport(db, importId), task: found })
  const work = deps.running.begin(importId, job.signal, taskId)
  try {
    await requirePermit(deps.permit, job.user, owner.record, found)
    await leaveStuckWork(runAttempts(deps.attempt, owner, work.signal), work.signal, deafMs)
  } catch (error) {
    if (error instanceof WorkLeft) publishEnded({ log, events: deps.events }, 'job', error)
    // Without the catalogue nothing can be stored: the job runs again when it is back.
    if (job.signal.aborted || isCatalogueAway(error)) throw error
    const task = await getTask(db, importId, taskId)
    // Abandoned work still uses the other owner object, whose saves fail from the next one on.
    const isUnsettled = owner.isUnsettled || error instanceof WorkLeft
    const ending = new RunningTask(deps.owner, { record: owner.record, task }, isUnsettled)
    if (!ending.isOf(job.id)) return
    if (work.signal.reason instanceof LoadCanceled) {
      await ending.cancel()
    } else {
      log.info({ err: error, importId, taskId }, 'a task failed')
      await ending.fail(explain(error), error instanceof Failure ? error.code : undefined)
    }
  } finally {
    work.end()
  }
}
