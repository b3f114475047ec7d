import { actingUser } from '../../core/concurrency/acting.ts'
import { conflict } from '../../core/errors/errors.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { importAfter, now, runnableStates, taskAfter } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { getImport, listTasks, saveAndPublish, saveTask } from '../records/records.ts'
import { dropDryRuns } from './drop-dry-run.ts'
import type { DryRunDeps } from './dry-run-deps.ts'

export const dryRunJob = 'import.dry-run'

/**
 * Starts a dry run of all tasks that a run would execute and removes the results of an earlier one. Returns
 * the job to wait for. Throws `conflict` if no task can run.
 */
export async function startDryRun(deps: DryRunDeps, importId: number): Promise<number> {
  const jobId = await deps.locks.ofImport(importId, async () => {
    const db = deps.records.database.kysely
    const found = await getImport(db, importId)
    if (found.state === 'INIT' || found.state === 'RUNNING') {
      throw conflict('import-busy', `Import ${importId} is ${found.state}`)
    }
    const runnable = (await listTasks(db, importId)).filter(({ state }) => runnableStates.includes(state))
    if (runnable.length === 0) {
      throw conflict(
        'nothing-to-run',
        `No task of import ${importId} can be run, so a dry run is not possible`,
      )
    }
    const record = await dropDryRuns(deps, importId)
    const ready = (await listTasks(db, importId)).filter(({ state }) => runnableStates.includes(state))
    return begin(deps.records, deps.jobs, record, ready)
  })
  deps.jobs.wake()
  return jobId
}

async function begin(
  records: Keeping,
  jobs: Jobs,
  record: ImportRecord,
  tasks: TaskRecord[],
): Promise<number> {
  return records.database.transaction(async (db) => {
    const { id, state } = record
    const payload = { importId: id, user: actingUser() ?? record.user }
    const jobId = await jobs.enqueue(db, { kind: dryRunJob, key: `import ${id}`, payload })
    const dryRun = { state: 'RUNNING' as const, jobId, before: state }
    await saveAndPublish(records, db, { ...importAfter(record, { type: 'started' }), jobId, dryRun })
    const at = now(records)
    for (const task of tasks) {
      const runningDryRun = { jobId, before: task.state }
      await saveTask(db, { ...taskAfter(task, { type: 'started' }), runningDryRun }, at)
    }
    return jobId
  })
}
