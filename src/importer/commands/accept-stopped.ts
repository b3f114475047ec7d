import { conflict, invalid } from '../../core/errors/errors.ts'
import { now } from '../model/model.ts'
import { getImport, getTask, saveTask } from '../records/records.ts'
import type { StartDeps } from '../run/run.ts'
import { startTask } from '../run/run.ts'

/** A waiver for a stopped load, by a user. */
export interface Acceptance {
  /** Rules that are waived. */
  stopped: string[]
  by: string
}

/**
 * Accepts one load that its limits have stopped. Returns the job that commits it; none if other rules still
 * stop it.
 */
export async function acceptStopped(
  deps: StartDeps,
  importId: number,
  taskId: number,
  { stopped, by }: Acceptance,
): Promise<number | undefined> {
  const jobId = await deps.locks.ofImport(importId, async () => {
    const db = deps.records.database.kysely
    const task = await getTask(db, importId, taskId)
    const { trial: dryRun, stopped: broken = [] } = task
    if (task.state !== 'ERROR' || broken.length === 0 || dryRun?.load === undefined) {
      throw conflict('nothing-stopped', `Task ${taskId} has no stopped load to accept: run the task again`)
    }
    const unknown = stopped.filter((name) => !broken.some(({ rule }) => rule === name))
    if (unknown.length > 0) {
      const known = broken.map(({ rule }) => rule).join(', ')
      throw invalid('not-stopped', `The load was stopped by ${known}, not by ${unknown.join(', ')}`)
    }
    const {
      basis,
      load: { loadId },
    } = dryRun
    const before = task.accepted?.loadId === loadId ? task.accepted.stopped : []
    const all = [...new Set([...before, ...stopped])]
    const at = now(deps.records)
    const accepted = { loadId, stopped: all, by, at, basis }
    const saved = await saveTask(db, { ...task, accepted }, at)
    if (broken.some(({ rule }) => !all.includes(rule))) return undefined
    return startTask(deps.records, deps.jobs, await getImport(db, importId), saved)
  })
  deps.jobs.wake()
  return jobId
}
