import { explain, Failure, invalid } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import { leaveStuckWork } from '../../core/workers/leave-stuck-work.ts'
import type { ImportRecord, TaskLoad, TaskRecord, TaskTrial } from '../model/model.ts'
import { isWithoutGeometry, now, taskAfter, withoutGeometry } from '../model/model.ts'
import { getTask, saveTaskAndTell } from '../records/records.ts'
import { deafMs } from '../runtime/runtime.ts'
import type { Kinds } from '../task-types/task-types.ts'
import { removeStagedTrial } from './drop-trial.ts'
import type { DryRunDeps } from './dry-run-deps.ts'

/** Returns the dry run result of a task that could not be staged. */
function failedTrial({ updateMode }: TaskRecord, at: string, error: unknown): TaskTrial {
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
function told(task: TaskRecord, trial: TaskTrial): TaskTrial {
  const { found } = trial
  if (found === undefined || !isWithoutGeometry(task)) return trial
  return { ...trial, found: { ...found, messages: [withoutGeometry(task), ...found.messages] } }
}

/** Returns the task in its previous state, with the results of its dry run. */
export function afterDryRun(task: TaskRecord, trial: TaskTrial | undefined): TaskRecord {
  const { runningDryRun, ...rest } = without(task, 'trial')
  const restored = taskAfter(rest, { type: 'dryRunEnded', before: runningDryRun?.before ?? 'READY' })
  return trial === undefined ? restored : { ...restored, trial }
}

/** Examines the task again. Throws the same error as a run if the task cannot run. */
async function examine(
  kinds: Kinds,
  keys: DryRunDeps['keys'],
  record: ImportRecord,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const looked = await kinds.of(task).lookAgain(task, signal)
  const still = { ...looked, state: task.runningDryRun?.before ?? 'READY' }
  const examined = await kinds.reexamine(record, still)
  if (examined.state === 'READY') return { ...examined, state: task.state, ...taken(task) }
  const { errorMessage, errorCode } = await keys.explain({ record, task: examined }, signal)
  if (errorCode === 'no-keys') throw invalid('no-keys', errorMessage ?? '')
  const reason = errorMessage ?? `It is ${examined.state}`
  throw new Failure('invalid', 'not-ready', `Task ${task.id} cannot run. ${reason}`)
}

function taken({ runningDryRun }: TaskRecord): Pick<TaskRecord, 'runningDryRun'> {
  return runningDryRun === undefined ? {} : { runningDryRun }
}

/** For stores that cannot retain staged rows: removes remaining staging data; the lists are retained. */
async function removeLoad(kinds: Kinds, { trial }: TaskRecord): Promise<void> {
  if (trial?.load !== undefined) await kinds.ofLoad(trial.load).discard(trial.load)
}

/**
 * Runs the dry run of one task and restores its state. Throws only errors that end the whole dry run:
 * cancellation or shutdown of the server.
 */
export async function dryRunTask(
  deps: DryRunDeps,
  record: ImportRecord,
  taskId: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { records } = deps
  const db = records.database.kysely
  let task = await getTask(db, record.id, taskId)
  await removeStagedTrial(deps, task)
  const at = now(records)
  const aim = async (load: TaskLoad): Promise<void> => {
    task = await saveTaskAndTell(records, db, { ...task, trial: { at, load, mode: task.updateMode } })
  }
  try {
    const examined = await examine(deps.kinds, deps.keys, record, task, signal)
    const work = deps.kinds.of(examined).performDryRun({ record, task: examined }, { at, aim }, signal)
    const trial = await leaveStuckWork(work, signal, deafMs)
    if (trial.laidBy === undefined) await removeLoad(deps.kinds, task)
    task = await saveTaskAndTell(records, db, afterDryRun(task, told(examined, trial)))
    return true
  } catch (error) {
    signal.throwIfAborted()
    deps.log.info({ err: error, importId: record.id, taskId }, 'a dry run failed')
    await removeStagedTrial(deps, task)
    await saveTaskAndTell(records, db, afterDryRun(task, failedTrial(task, at, error)))
    return false
  }
}
