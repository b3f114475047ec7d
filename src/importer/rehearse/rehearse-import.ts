import type { JobContext, JobHandler } from '../../jobs/jobs.ts'
import { without } from '../../lib/defined.ts'
import { LoadCanceled } from '../live/live.ts'
import type { ImportRecord, RehearsalState } from '../model/model.ts'
import { importAfter } from '../model/model.ts'
import { findImport, getImport, listTasks, saveAndTell, saveTaskAndTell } from '../records/records.ts'
import { removeStaged } from './drop-trial.ts'
import type { RehearseNeeds } from './rehearse-needs.ts'
import { afterRehearsal, rehearseTask } from './rehearse-task.ts'
import { sweepTrials } from './sweep-trials.ts'

const hourMs = 3_600_000

/** Runs the dry run of the tasks of an import, several concurrently. Returns true if all succeeded. */
async function rehearseTasks(
  needs: RehearseNeeds,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<boolean> {
  const tasks = await listTasks(needs.records.database.kysely, record.id)
  const chosen = tasks.filter(({ rehearsing }) => rehearsing?.jobId === record.jobId)
  const waiting = chosen.values()
  let isWhole = true
  const work = async (): Promise<void> => {
    for (const { id } of waiting) {
      signal.throwIfAborted()
      if (!(await rehearseTask(needs, record, id, signal))) isWhole = false
    }
  }
  const results = await Promise.allSettled(Array.from({ length: Math.min(needs.width, chosen.length) }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return isWhole
}

/**
 * Restores the state of the import and of tasks whose dry run did not complete, and removes their staged
 * rows.
 */
export async function endRehearsal(
  needs: RehearseNeeds,
  importId: number,
  state: RehearsalState,
): Promise<void> {
  const { records, limits } = needs
  const db = records.database.kysely
  for (const task of await listTasks(db, importId)) {
    if (task.rehearsing === undefined) continue
    await removeStaged(needs, task)
    await saveTaskAndTell(records, db, afterRehearsal(task, undefined))
  }
  await needs.locks.ofImport(importId, async () => {
    const record = await getImport(db, importId)
    const { rehearsal } = record
    if (rehearsal === undefined || record.state !== 'RUNNING') return
    const expires = new Date(records.clock.now().getTime() + limits.rehearsalHours * hourMs).toISOString()
    const restored = importAfter(record, { type: 'rehearsed', before: rehearsal.before })
    await saveAndTell(records, db, {
      ...without(restored, 'jobId'),
      rehearsal: { ...rehearsal, state, expires },
    })
  })
}

async function rehearse(needs: RehearseNeeds, importId: number, context: JobContext): Promise<void> {
  const record = await findImport(needs.records.database.kysely, importId)
  if (record === undefined || record.jobId !== context.jobId) return
  const work = needs.running.begin(importId, context.signal)
  try {
    const isWhole = await rehearseTasks(needs, record, work.signal)
    await endRehearsal(needs, importId, isWhole ? 'COMPLETE' : 'COMPLETE_ERROR')
    await sweepTrials(needs)
  } catch (error) {
    if (context.signal.aborted) throw error
    const isCanceled = work.signal.reason instanceof LoadCanceled
    if (!isCanceled) needs.log.error({ err: error, importId }, 'a rehearsal broke off')
    await endRehearsal(needs, importId, isCanceled ? 'CANCELED' : 'COMPLETE_ERROR')
  } finally {
    work.end()
  }
}

/** Job handler for dry runs. A dry run whose process died starts again. */
export function rehearsalHandler(needs: RehearseNeeds): JobHandler {
  return {
    run: (payload, context) => rehearse(needs, Number(payload.importId), context),
    abandoned: async (payload) => {
      const importId = Number(payload.importId)
      if ((await findImport(needs.records.database.kysely, importId)) !== undefined)
        await endRehearsal(needs, importId, 'COMPLETE_ERROR')
    },
  }
}
