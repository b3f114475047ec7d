import type { Catalog } from '../../catalog/index.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import { getImport, listTasksInState } from '../records/records.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import type { OwnerDeps } from './running-task.ts'
import { RunningTask } from './running-task.ts'

/**
 * Recovers an interrupted load: publishes committed rows, discards uncommitted ones. Returns true if that
 * completes the task. If the store does not respond, it throws and the task retains the load record, since
 * loading again might load the rows twice.
 */
export async function recoverLoad(kinds: TaskTypes, owner: RunningTask): Promise<boolean> {
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

/**
 * Like `recoverLoad`, for a load that failed in this process. Reports the error of the load, not errors of the
 * recovery.
 */
export async function recoverAfterFailure(
  { kinds, log }: { kinds: TaskTypes; log: Logger },
  owner: RunningTask,
): Promise<boolean> {
  return recoverLoad(kinds, owner).catch((error: unknown) => {
    warn(log, owner, error, 'the result of a load is not known')
    return false
  })
}

function warn(log: Logger, { record, task }: RunningTask, error: unknown, text: string): void {
  log.warn({ err: error, importId: record.id, taskId: task.id }, text)
}

export interface RecoverDeps {
  owner: OwnerDeps
  kinds: TaskTypes
  jobs: Jobs
  log: Logger
}

/**
 * Call before any load starts: publishes loads that an earlier process committed, if the next load into the
 * table would hide whether they committed (a GeoPackage shows only the latest change of a table).
 */
export async function publishEarlierCommits({ owner: needs, kinds, jobs, log }: RecoverDeps): Promise<void> {
  const db = needs.database.kysely
  for (const task of await listTasksInState(db, 'RUNNING')) {
    if (task.run?.load?.token === undefined) continue
    if (await jobs.isHeldByOther(task.run.jobId)) continue
    const owner = new RunningTask(needs, { record: await getImport(db, task.importId), task })
    await publishIfCommitted(needs.catalog, kinds, owner).catch((error: unknown) =>
      warn(log, owner, error, 'the result of a load is not known yet'),
    )
  }
}

async function publishIfCommitted(catalog: Catalog, kinds: TaskTypes, owner: RunningTask): Promise<void> {
  const { load } = owner
  if (load === undefined) return
  const store = await catalog.stores.get(load.storeId)
  if (findStoreDescription(store.type)?.can.outcomesLast !== false) return
  const committed = await kinds.ofLoad(load).recover(load)
  if (committed !== undefined) await owner.publish(await committed.publish(owner))
}
