import type { TaskRecord } from '../model/model.ts'
import { findTask, listDryRuns } from '../records/records.ts'
import { dropDryRun, forgetDryRun } from './drop-dry-run.ts'
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
  return newestFirst.filter(({ trial: dryRun }) => {
    taken += dryRun?.laidBy?.sizeBytes ?? 0
    return (dryRun?.at ?? '') < oldest || (taken > bytes && dryRun?.laidBy !== undefined)
  })
}

/** Removes retained dry runs and stopped loads that are too old or exceed the size limit. */
export async function sweepDryRuns(deps: DryRunDeps): Promise<void> {
  const { records, limits, locks, log } = deps
  const db = records.database.kysely
  const kept = (await listDryRuns(db)).filter(({ state }) => state !== 'RUNNING')
  const { dryRunHours: hours, dryRunBytes: bytes } = limits
  for (const { importId, id } of findSurplus(kept, { now: records.clock.now(), hours, bytes })) {
    await locks
      .ofImport(importId, async () => {
        const task = await findTask(db, importId, id)
        if (task !== undefined && task.state !== 'RUNNING') await dropDryRun(deps, task)
        await forgetDryRun(deps.records, importId)
      })
      .catch((error: unknown) => log.warn({ err: error, importId, taskId: id }, 'a dry run was not removed'))
  }
}
