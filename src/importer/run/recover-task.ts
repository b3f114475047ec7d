import type { Jobs } from '../../jobs/jobs.ts'
import type { Logger } from '../../lib/logger.ts'
import { passStep } from '../../lib/protocol-steps.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { Kinds } from '../kinds/kinds.ts'
import { getImport, listTasksInState } from '../records/records.ts'
import type { OwnerNeeds } from './running-task.ts'
import { RunningTask } from './running-task.ts'

/**
 * Ends a load that broke off: publishes what was committed, discards what was not. True when the task is done by that.
 * Where the store does not answer it throws, and the task remembers the load: loading again might load twice.
 */
export async function settleLoad(kinds: Kinds, owner: RunningTask): Promise<boolean> {
  const { load } = owner
  if (load === undefined) return false
  return owner.settle(async () => {
    const kind = kinds.ofLoad(load)
    const committed = await kind.recover(load)
    if (committed === undefined) {
      await kind.discard(load)
      passStep('settle.swept')
      await owner.forgetLoad(load)
      passStep('settle.given-up')
    } else {
      await owner.publish(await committed.publish(owner))
      passStep('settle.published')
    }
    return committed !== undefined
  })
}

/** As `settleLoad`, for a load that failed in this process: what it failed of is told, not what settling failed of. */
export async function settleAfterFailure(
  { kinds, log }: { kinds: Kinds; log: Logger },
  owner: RunningTask,
): Promise<boolean> {
  return settleLoad(kinds, owner).catch((error: unknown) => {
    warn(log, owner, error, 'how a load ended is not known')
    return false
  })
}

function warn(log: Logger, { record, task }: RunningTask, error: unknown, text: string): void {
  log.warn({ err: error, importId: record.id, taskId: task.id }, text)
}

export interface RecoverNeeds {
  owner: OwnerNeeds
  kinds: Kinds
  jobs: Jobs
  log: Logger
}

/**
 * Before any load begins: publishes what an earlier process committed, where the next load into a table would hide whether
 * the one before committed (a GeoPackage tells by a table's latest change).
 */
export async function publishEarlierCommits({ owner: needs, kinds, jobs, log }: RecoverNeeds): Promise<void> {
  const db = needs.database.kysely
  for (const task of await listTasksInState(db, 'RUNNING')) {
    if (task.run?.load?.token === undefined) continue
    if (await jobs.isHeldByOther(task.run.jobId)) continue
    const owner = new RunningTask(needs, { record: await getImport(db, task.importId), task })
    await publishIfCommitted(needs, kinds, owner).catch((error: unknown) =>
      warn(log, owner, error, 'how a load ended is not known yet'),
    )
  }
}

async function publishIfCommitted({ catalog }: OwnerNeeds, kinds: Kinds, owner: RunningTask): Promise<void> {
  const { load } = owner
  if (load === undefined) return
  const store = await catalog.stores.get(load.storeId)
  if (findStoreDescription(store.type)?.can.outcomesLast !== false) return
  const committed = await kinds.ofLoad(load).recover(load)
  if (committed !== undefined) await owner.publish(await committed.publish(owner))
}
