import type { LoadHooks, LoadResult, RestoreRequest, StoreConnection } from '../../stores/index.ts'
import { commitLoad } from '../../stores/worker.ts'
import { latestStore } from './latest-store.ts'

/**
 * Input of a worker that restores a table. Plain data: it is passed between threads. Contains secrets and
 * must never be logged.
 */
export interface TableRestorePlan {
  connection: StoreConnection
  request: RestoreRequest
}

interface RestoreHooks extends Pick<LoadHooks, 'signal' | 'onMessage' | 'beforeTouch'> {
  beforeCommit(token: string, result: LoadResult): Promise<void>
}

/** Restores a table; if it throws, nothing has changed. */
export async function runTableRestore(
  { connection, request }: TableRestorePlan,
  { beforeCommit, ...hooks }: RestoreHooks,
): Promise<LoadResult> {
  const store = await latestStore(connection)
  if (store.states === undefined) throw new Error(`A ${store.type} store does not store table states`)
  const onReject = (): void => {
    throw new Error(`A row of an earlier state of "${request.table}" was refused`)
  }
  return commitLoad(await store.states.stageRestore(request, { ...hooks, onReject }), beforeCommit)
}
