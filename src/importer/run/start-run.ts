import { actingUser } from '../../core/concurrency/acting.ts'
import { conflict } from '../../core/errors/errors.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import { without } from '../../core/values/defined.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { importAfter, now, runnableStates } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { getImport, listTasks, saveAndPublish, saveTask } from '../records/records.ts'
import type { ImportLocks } from '../runtime/runtime.ts'

export const runJob = 'import.run'
export const prepareJob = 'import.prepare'

export interface StartDeps {
  records: Keeping
  jobs: Jobs
  locks: ImportLocks
}

const waitsFor: Partial<Record<TaskRecord['state'], string>> = {
  NO_CRS: 'needs a CRS: PUT "srs" to its layer',
  NO_FORMAT: 'has no data that a format reads',
  BAD_FORMAT: 'has a target of the wrong kind',
  NO_BOUNDS: 'has data without an extent',
}

function refuseNothingToRun(record: ImportRecord, tasks: TaskRecord[]): never {
  if (tasks.length === 0) {
    throw conflict('no-tasks', `Import ${record.id} has no tasks: upload data first`)
  }
  const errors = tasks
    .filter((task) => task.state !== 'COMPLETE')
    .map((task) => `Task ${task.id} is ${task.state} and ${waitsFor[task.state] ?? 'cannot be run'}`)
  throw conflict('nothing-to-run', `No task of import ${record.id} can be run`, { errors })
}

async function prepareAgain(records: Keeping, jobs: Jobs, record: ImportRecord): Promise<number> {
  const jobId = await records.database.transaction(async (db) => {
    const payload = { importId: record.id, isAsync: true }
    const id = await jobs.enqueue(db, { kind: prepareJob, key: `import ${record.id}`, payload })
    await saveAndPublish(records, db, { ...importAfter(record, { type: 'prepare-again' }), jobId: id })
    return id
  })
  return jobId
}

async function beginRun(
  records: Keeping,
  jobs: Jobs,
  record: ImportRecord,
  tasks: TaskRecord[],
): Promise<number> {
  return records.database.transaction(async (db) => {
    // A run after an inspection is on behalf of the creator.
    const payload = { importId: record.id, user: actingUser() ?? record.user }
    const jobId = await jobs.enqueue(db, { kind: runJob, key: `import ${record.id}`, payload })
    await saveAndPublish(records, db, { ...importAfter(record, { type: 'started' }), jobId })
    const at = now(records)
    for (const task of tasks) await saveTask(db, { ...task, run: { jobId, attempt: 0 } }, at)
    return jobId
  })
}

/**
 * Starts what the state of the import allows: a run of its tasks, or in INIT_ERROR another inspection of its
 * data. Returns the job to wait for, or undefined if everything is complete. Throws `conflict` if nothing can
 * run.
 */
export async function startRun(
  deps: StartDeps,
  importId: number,
  check?: (record: ImportRecord) => void,
): Promise<number | undefined> {
  const jobId = await deps.locks.ofImport(importId, async () => {
    const db = deps.records.database.kysely
    const record = await getImport(db, importId)
    check?.(record)
    if (record.state === 'COMPLETE') return undefined
    if (record.state === 'INIT_ERROR') return prepareAgain(deps.records, deps.jobs, record)
    if (record.state === 'INIT' || record.state === 'RUNNING') {
      throw conflict('import-busy', `Import ${importId} is ${record.state} already`)
    }
    const tasks = await listTasks(db, importId)
    const runnable = tasks.filter((task) => runnableStates.includes(task.state))
    if (runnable.length === 0) refuseNothingToRun(record, tasks)
    return beginRun(deps.records, deps.jobs, without(record, 'dryRun'), runnable)
  })
  deps.jobs.wake()
  return jobId
}

/** Starts a run of a single task. Run under the lock of the import. */
export function startTask(
  records: Keeping,
  jobs: Jobs,
  record: ImportRecord,
  task: TaskRecord,
): Promise<number> {
  if (record.state === 'INIT' || record.state === 'RUNNING') {
    throw conflict('import-busy', `Import ${record.id} is ${record.state} already`)
  }
  return beginRun(records, jobs, record, [task])
}
