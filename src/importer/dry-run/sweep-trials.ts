import type { TaskRecord } from '../model/model.ts'
import { findTask, listTrials } from '../records/records.ts'
import { dropTrial, forgetDryRun } from './drop-trial.ts'
import type { DryRunDeps } from './dry-run-deps.ts'

const hourMs = 3_600_000

/** Returns tasks whose retained dry runs are too old, and the oldest ones beyond the size limit. */
export function findSurplus(
  tasks: readonly TaskRecord[],
  { now, hours, bytes }: { now: Date; hours: number; bytes: number },
): TaskRecord[] {
  const oldest = new Date(now.getTime() - hours * hourMs).toISOString()
  const newestFirst = [...tasks].sort((a, b) => ((a.trial?.at ?? '') < (b.trial?.at ?? '') ? 1 : -1))
  let taken = 0
  return newestFirst.filter(({ trial }) => {
    taken += trial?.laidBy?.sizeBytes ?? 0
    return (trial?.at ?? '') < oldest || (taken > bytes && trial?.laidBy !== undefined)
  })
}

/** Removes retained dry runs and stopped loads that are too old or exceed the size limit. */
export async function sweepTrials(deps: DryRunDeps): Promise<void> {
  const { records, limits, locks, log } = deps
  const db = records.database.kysely
  const kept = (await listTrials(db)).filter(({ state }) => state !== 'RUNNING')
  const { dryRunHours: hours, dryRunBytes: bytes } = limits
  for (const { importId, id } of findSurplus(kept, { now: records.clock.now(), hours, bytes })) {
    await locks
      .ofImport(importId, async () => {
        const task = await findTask(db, importId, id)
        if (task !== undefined && task.state !== 'RUNNING') await dropTrial(deps, task)
        await forgetDryRun(deps.records, importId)
      })
      .catch((error: unknown) => log.warn({ err: error, importId, taskId: id }, 'a dry run was not removed'))
  }
}
