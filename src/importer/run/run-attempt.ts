import { Failure } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import { traced } from '../../core/telemetry/tracing.ts'
import { retryEnded } from '../../core/workers/retry-ended.ts'
import type { KeyFinder } from '../keys/keys.ts'
import type { ImportFiles } from '../records/records.ts'
import type { ImportLocks } from '../runtime/runtime.ts'
import type { Committed, Placed, StagedTask, TaskTypes } from '../task-types/task-types.ts'
import { recoverAfterFailure, recoverLoad } from './recover-task.ts'
import type { RunningTask } from './running-task.ts'

/** Maximum number of attempts of a task, after crashes and outages. */
export const maxTaskAttempts = 3
const maxNameTries = 10

export interface AttemptDeps {
  kinds: TaskTypes
  /** Suggests keys if a task has none. */
  keys: Pick<KeyFinder, 'explain'>
  locks: ImportLocks
  /** Stores the files that a load has written. */
  files: Pick<ImportFiles, 'save'>
  log: Logger
}

/**
 * Runs a task, and repeats it after a temporary failure: a terminated worker, or a store that responded too
 * slowly. Each attempt first recovers an earlier one.
 */
export async function runAttempt(deps: AttemptDeps, owner: RunningTask, signal: AbortSignal): Promise<void> {
  const { record, task } = owner
  const attributes = { 'terrane.import.id': record.id, 'terrane.task.id': task.id }
  await traced('import task', { attributes }, () =>
    retryEnded((number) => attemptOnce(deps, owner, signal, number > 1), {
      signal,
      isPassing: isTooSlow,
      onRetry: (error) =>
        deps.log.warn({ err: error, importId: record.id, taskId: task.id }, 'a task is run again'),
    }),
  )
}

function isTooSlow(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'unavailable' && slowCodes.includes(error.code)
}

const slowCodes: readonly string[] = ['too-slow', 'worker-not-started', 'gdal-too-slow']

async function attemptOnce(
  deps: AttemptDeps,
  owner: RunningTask,
  signal: AbortSignal,
  isRepeated: boolean,
): Promise<void> {
  await owner.resume()
  if (await recoverLoad(deps.kinds, owner)) return
  // Only attempts that ended with the server count.
  const attempt = Math.max(1, (owner.task.run?.attempt ?? 0) + (isRepeated ? 0 : 1))
  if (attempt > maxTaskAttempts) {
    await owner.fail(`The task was started ${maxTaskAttempts} times, and the server process died each time`)
    return
  }
  if (!(await begin(deps.kinds, deps.keys, owner, attempt, signal))) return
  const key = await deps.kinds.of(owner.task).turn(owner)
  await withLock(deps.locks, key, signal, () => placeAndLoad(deps, owner, signal))
}

/** Examines the task again and sets it to RUNNING. Returns false if it cannot run. */
async function begin(
  kinds: TaskTypes,
  keys: Pick<KeyFinder, 'explain'>,
  owner: RunningTask,
  attempt: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (owner.task.state === 'RUNNING') {
    await owner.beginAgain(attempt)
    return true
  }
  const inspected = await kinds.of(owner.task).inspectAgain(owner.task, signal)
  const examined = await kinds.reexamine(owner.record, inspected)
  if (examined.state !== 'READY') {
    await owner.giveUp(await keys.explain({ record: owner.record, task: examined }, signal))
    return false
  }
  await owner.begin(examined, attempt)
  return true
}

/**
 * If the load finds the table name taken, the next attempt looks up a free name. Another process may take
 * that name first, so this may repeat.
 */
async function placeAndLoad(deps: AttemptDeps, owner: RunningTask, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await placeOnce(deps, owner, signal, tries > 1)
      return
    } catch (error) {
      const isTaken = error instanceof Failure && error.code === 'table-exists'
      if (!isTaken || owner.isUnsettled || tries === maxNameTries) throw error
    }
  }
}

async function placeOnce(
  deps: AttemptDeps,
  owner: RunningTask,
  signal: AbortSignal,
  isLookedUp: boolean,
): Promise<void> {
  const placed = await deps.kinds.of(owner.task).place(owner, { isLookedUp, signal })
  try {
    await dropDryRun(deps.kinds, deps.log, owner, placed)
    if (placed.load !== undefined) await owner.aim(placed.load)
    passStep('load.aimed')
    await stageToPublish(deps, owner, placed, signal)
  } catch (error) {
    if (!(await recoverAfterFailure(deps, owner))) throw error
  } finally {
    placed.release()
  }
}

/** Removes rows staged by a dry run that are not reused. */
async function dropDryRun(
  kinds: TaskTypes,
  log: Logger,
  owner: RunningTask,
  { load }: Placed,
): Promise<void> {
  const { record, task } = owner
  const before = task.trial?.load
  if (before === undefined || before.loadId === load?.loadId) return
  await kinds
    .ofLoad(before)
    .discard(before)
    .catch((error: unknown) =>
      log.warn({ err: error, importId: record.id, taskId: task.id }, 'staged rows were not removed'),
    )
  await owner.forgetDryRun()
}

/** The protocol: stage, record the coming commit, commit, publish. */
async function stageToPublish(
  { locks, files }: Pick<AttemptDeps, 'locks' | 'files'>,
  owner: RunningTask,
  placed: Placed,
  signal: AbortSignal,
): Promise<void> {
  const { turns } = placed
  await withLock(locks, turns.publish, signal, async () => {
    let staged: StagedTask | undefined
    try {
      const committed = await withLock(locks, turns.commit, signal, async (): Promise<Committed> => {
        staged = await placed.stage(owner, signal)
        await files.save(owner.record.id)
        passStep('load.staged')
        return staged.commit((note) => owner.noteCommit(note))
      })
      await files.save(owner.record.id)
      passStep('load.committed')
      await owner.publish(await committed.publish(owner))
      passStep('load.published')
    } catch (error) {
      await staged?.discard(error)
      throw error
    }
  })
}

function withLock<T>(
  locks: ImportLocks,
  key: string | undefined,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return key === undefined ? work() : locks.hold(key, work, signal)
}
