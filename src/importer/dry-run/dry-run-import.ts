import type { JobContext, JobHandler, JobPayload } from '../../core/jobs/jobs.ts'
import { without } from '../../core/values/defined.ts'
import type { DryRunState, ImportRecord } from '../model/model.ts'
import { importAfter } from '../model/model.ts'
import { findImport, getImport, listTasks, saveAndPublish, saveTaskAndPublish } from '../records/records.ts'
import { LoadCanceled } from '../runtime/runtime.ts'
import { removeStagedDryRun } from './drop-dry-run.ts'
import type { DryRunDeps } from './dry-run-deps.ts'
import { afterDryRun, dryRunTask } from './dry-run-task.ts'
import { sweepDryRuns } from './sweep-dry-runs.ts'

const hourMs = 3_600_000

/** Runs the dry run of the tasks of an import, several concurrently. Returns true if all succeeded. */
async function dryRunTasks(
  deps: DryRunDeps,
  record: ImportRecord,
  user: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const tasks = await listTasks(deps.records.database.kysely, record.id)
  const chosen = tasks.filter(({ runningDryRun }) => runningDryRun?.jobId === record.jobId)
  const waiting = chosen.values()
  let isWhole = true
  const work = async (): Promise<void> => {
    for (const { id } of waiting) {
      signal.throwIfAborted()
      if (!(await dryRunTask(deps, { record, taskId: id, user }, signal))) isWhole = false
    }
  }
  const results = await Promise.allSettled(Array.from({ length: Math.min(deps.width, chosen.length) }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return isWhole
}

/**
 * Restores the state of the import and of tasks whose dry run did not complete, and removes their staged
 * rows.
 */
export async function endDryRun(deps: DryRunDeps, importId: number, state: DryRunState): Promise<void> {
  const { records, limits } = deps
  const db = records.database.kysely
  for (const task of await listTasks(db, importId)) {
    if (task.runningDryRun === undefined) continue
    await removeStagedDryRun(deps, task)
    await saveTaskAndPublish(records, db, afterDryRun(task, undefined))
  }
  await deps.locks.ofImport(importId, async () => {
    const record = await getImport(db, importId)
    const { dryRun } = record
    if (dryRun === undefined || record.state !== 'RUNNING') return
    const expires = new Date(records.clock.now().getTime() + limits.dryRunHours * hourMs).toISOString()
    const restored = importAfter(record, { type: 'dryRunEnded', before: dryRun.before })
    await saveAndPublish(records, db, {
      ...without(restored, 'jobId'),
      dryRun: { ...dryRun, state, expires },
    })
  })
}

async function performDryRun(deps: DryRunDeps, payload: JobPayload, context: JobContext): Promise<void> {
  const importId = Number(payload.importId)
  const user = typeof payload.user === 'string' ? payload.user : undefined
  const record = await findImport(deps.records.database.kysely, importId)
  if (record === undefined || record.jobId !== context.jobId) return
  const work = deps.running.begin(importId, context.signal)
  try {
    const isWhole = await dryRunTasks(deps, record, user, work.signal)
    await endDryRun(deps, importId, isWhole ? 'COMPLETE' : 'COMPLETE_ERROR')
    await sweepDryRuns(deps)
  } catch (error) {
    if (context.signal.aborted) throw error
    const isCanceled = work.signal.reason instanceof LoadCanceled
    if (!isCanceled) deps.log.error({ err: error, importId }, 'a dry run was interrupted')
    await endDryRun(deps, importId, isCanceled ? 'CANCELED' : 'COMPLETE_ERROR')
  } finally {
    work.end()
  }
}

/** Job handler for dry runs. A dry run whose process died starts again. */
export function dryRunHandler(deps: DryRunDeps): JobHandler {
  return {
    run: (payload, context) => performDryRun(deps, payload, context),
    abandoned: async (payload) => {
      const importId = Number(payload.importId)
      if ((await findImport(deps.records.database.kysely, importId)) !== undefined)
        await endDryRun(deps, importId, 'COMPLETE_ERROR')
    },
  }
}
