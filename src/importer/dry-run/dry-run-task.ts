import { explain, Failure, invalid } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import { leaveStuckWork } from '../../core/workers/leave-stuck-work.ts'
import type { ImportRecord, TaskDryRun, TaskLoad, TaskRecord } from '../model/model.ts'
import { isWithoutGeometry, now, taskAfter, withoutGeometry } from '../model/model.ts'
import { getTask, saveTaskAndPublish } from '../records/records.ts'
import { deafMs, requirePermit } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import { removeStagedDryRun } from './drop-dry-run.ts'
import type { DryRunDeps } from './dry-run-deps.ts'

/** Returns the dry run result of a task that could not be staged. */
function failedDryRun({ updateMode }: TaskRecord, at: string, error: unknown): TaskDryRun {
  const code = error instanceof Failure ? error.code : 'rehearsal-failed'
  return {
    at,
    mode: updateMode,
    found: {
      rows: { read: 0, load: 0, rejected: 0 },
      columns: [],
      rejects: [],
      stopped: [],
      notTried: [],
      messages: [{ level: 'error', code, message: explain(error) }],
    },
  }
}

/** Adds the messages that a run would also report before loading. */
function reported(task: TaskRecord, dryRun: TaskDryRun): TaskDryRun {
  const { found } = dryRun
  if (found === undefined || !isWithoutGeometry(task)) return dryRun
  return { ...dryRun, found: { ...found, messages: [withoutGeometry(task), ...found.messages] } }
}

/** Returns the task in its previous state, with the results of its dry run. */
export function afterDryRun(task: TaskRecord, dryRun: TaskDryRun | undefined): TaskRecord {
  const { runningDryRun, ...rest } = without(task, 'trial')
  const restored = taskAfter(rest, { type: 'dryRunEnded', before: runningDryRun?.before ?? 'READY' })
  return dryRun === undefined ? restored : { ...restored, trial: dryRun }
}

/** Examines the task again. Throws the same error as a run if the task cannot run. */
async function examine(
  kinds: TaskTypes,
  keys: DryRunDeps['keys'],
  record: ImportRecord,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const inspected = await kinds.of(task).inspectAgain(task, signal)
  const still = { ...inspected, state: task.runningDryRun?.before ?? 'READY' }
  const examined = await kinds.reexamine(record, still)
  if (examined.state === 'READY') return { ...examined, state: task.state, ...taken(task) }
  const { errorMessage, errorCode } = await keys.explain({ record, task: examined }, signal)
  if (errorCode === 'no-keys') throw invalid('no-keys', errorMessage ?? '')
  const reason = errorMessage ?? `The task is ${examined.state}`
  throw new Failure('invalid', 'not-ready', `Task ${task.id} cannot run. ${reason}`)
}

function taken({ runningDryRun }: TaskRecord): Pick<TaskRecord, 'runningDryRun'> {
  return runningDryRun === undefined ? {} : { runningDryRun }
}

/** For stores that cannot retain staged rows: removes remaining staging data; the lists are retained. */
async function removeLoad(kinds: TaskTypes, { trial: dryRun }: TaskRecord): Promise<void> {
  if (dryRun?.load !== undefined) await kinds.ofLoad(dryRun.load).discard(dryRun.load)
}

/** A task with the user who started the dry run; absent for the server itself. */
interface DryRunOfTask {
  record: ImportRecord
  taskId: number
  user: string | undefined
}

/**
 * Runs the dry run of one task and restores its state. Throws only errors that end the whole dry run:
 * cancellation or shutdown of the server.
 */
export async function dryRunTask(
  deps: DryRunDeps,
  { record, taskId, user }: DryRunOfTask,
  signal: AbortSignal,
): Promise<boolean> {
  const { records } = deps
  const db = records.database.kysely
  let task = await getTask(db, record.id, taskId)
  await removeStagedDryRun(deps, task)
  const at = now(records)
  const aim = async (load: TaskLoad): Promise<void> => {
    task = await saveTaskAndPublish(records, db, { ...task, trial: { at, load, mode: task.updateMode } })
  }
  try {
    await requirePermit(deps.permit, user, record, task)
    const examined = await examine(deps.kinds, deps.keys, record, task, signal)
    const work = deps.kinds.of(examined).performDryRun({ record, task: examined }, { at, aim }, signal)
    const dryRun = await leaveStuckWork(work, signal, deafMs)
    if (dryRun.laidBy === undefined) await removeLoad(deps.kinds, task)
    task = await saveTaskAndPublish(records, db, afterDryRun(task, reported(examined, dryRun)))
    return true
  } catch (error) {
    signal.throwIfAborted()
    deps.log.info({ err: error, importId: record.id, taskId }, 'a dry run failed')
    await removeStagedDryRun(deps, task)
    await saveTaskAndPublish(records, db, afterDryRun(task, failedDryRun(task, at, error)))
    return false
  }
}
