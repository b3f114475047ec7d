import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../../core/errors/errors.ts'
import { isOutage } from '../../core/postgres/errors.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import type { ProgressBoard } from '../runtime/runtime.ts'
import { recoverLoad } from './recover-task.ts'
import type { AttemptDeps } from './run-attempt.ts'
import { maxTaskAttempts, runAttempt } from './run-attempt.ts'
import type { RunningTask } from './running-task.ts'

const firstPauseMs = 1000
const longestPauseMs = 30_000

/** Options for attempts that wait for a database. */
export interface WaitOptions {
  /** Maximum wait for an unreachable database, in milliseconds, for each outage. */
  waitMs: number
  progress: ProgressBoard
  /**
   * Connects to the source database of an import; throws if it is unreachable. Undefined for other sources.
   */
  reachSource(record: ImportRecord, task: TaskRecord, signal: AbortSignal): Promise<void>
}

/**
 * Runs a task until an attempt ends it. If a target or source database becomes unreachable, the task stays
 * RUNNING and waits with increasing pauses. Then the interrupted attempt is recovered by its commit token; if
 * it did not commit, the task runs again. An attempt counts once its target is chosen; a task has at most
 * three, as after a crash. Throws the error of the last attempt.
 */
export async function runAttempts(
  deps: AttemptDeps & WaitOptions,
  owner: RunningTask,
  signal: AbortSignal,
): Promise<void> {
  let outage = new Outage(deps.waitMs)
  for (;;) {
    const before = attemptOf(owner)
    try {
      await runAttempt(deps, owner, signal)
      return
    } catch (error) {
      if (signal.aborted || !isOutage(error) || deps.waitMs === 0) throw error
      if (attemptOf(owner) > before && owner.load !== undefined) outage = new Outage(deps.waitMs)
      await uncount(owner, before)
      await waitUntilBack(deps, owner, { outage, error, signal })
      if (attemptOf(owner) < maxTaskAttempts) continue
      if (await recoverLoad(deps.kinds, owner)) return
      throw afterAttempts(error)
    }
  }
}

function attemptOf({ task }: RunningTask): number {
  return task.run?.attempt ?? 0
}

/** An attempt that found no target does not count. */
async function uncount(owner: RunningTask, before: number): Promise<void> {
  if (owner.load === undefined && owner.task.state === 'RUNNING' && attemptOf(owner) > before)
    await owner.beginAgain(before)
}

/** Time during which a database is unreachable. */
class Outage {
  readonly #startedMs = performance.now()
  readonly #waitMs: number
  #pauseMs = firstPauseMs

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** Waits, longer each time. Returns false if the maximum wait is exceeded. */
  async pause(signal: AbortSignal): Promise<boolean> {
    const leftMs = this.#waitMs - (performance.now() - this.#startedMs)
    if (leftMs <= 0) return false
    await delay(Math.min(this.#pauseMs, leftMs), undefined, { signal })
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
    return true
  }
}

/**
 * Resolves when source and target are reachable, as far as known; throws the error if they stay unreachable.
 */
async function waitUntilBack(
  deps: AttemptDeps & WaitOptions,
  owner: RunningTask,
  { outage, error, signal }: { outage: Outage; error: Failure; signal: AbortSignal },
): Promise<void> {
  tellWaiting(deps, owner, error)
  const { record, task } = owner
  let latest = error
  for (;;) {
    if (!(await outage.pause(signal))) throw stayedAway(latest, deps.waitMs)
    try {
      await deps.reachSource(record, task, signal)
      return
    } catch (thrown) {
      signal.throwIfAborted()
      if (!isOutage(thrown)) throw thrown
      latest = thrown
    }
  }
}

function tellWaiting(
  { progress, log }: Pick<WaitOptions & AttemptDeps, 'progress' | 'log'>,
  { record, task }: RunningTask,
  error: Failure,
): void {
  log.warn({ err: error, importId: record.id, taskId: task.id }, 'a task waits for a database')
  const known = progress.progressOf(record.id, task.id)
  progress.tell(record.id, {
    type: 'progress',
    taskId: task.id,
    progress: {
      progress: 0,
      total: known?.total ?? task.source?.featureCount ?? -1,
      rejected: 0,
      phase: 'waiting',
      message: `Waiting for a database: ${error.message}`,
    },
  })
}

function stayedAway(error: Failure, waitMs: number): Failure {
  const text = `${error.message}. The database was unavailable for ${Math.round(waitMs / 1000)} s (TERRANE_DATABASE_WAIT): run the task again when it is available`
  return new Failure(error.kind, error.code, text, { cause: error })
}

function afterAttempts(error: Failure): Failure {
  const text = `${error.message}. The load was started ${maxTaskAttempts} times: run the task again when the database is stable`
  return new Failure(error.kind, error.code, text, { cause: error })
}
