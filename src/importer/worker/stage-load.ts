import type { LoadOutcome, LoadPlan } from './load-plan.ts'
import type { LoadHandlers, LoadPool } from './load-pool.ts'

/**
 * Stores the token by which the store tells after a crash whether it committed. Throwing refuses the load.
 */
type RecordCommit = (token: string, outcome: LoadOutcome) => Promise<void>

/**
 * Staged rows, which do not block other clients. The caller must commit or discard them: a worker waits for
 * that.
 */
export interface StagedTaskLoad {
  /** Makes the rows visible atomically, after `record` has stored the recovery data. */
  commit(record: RecordCommit): Promise<LoadOutcome>
  /** Removes the rows; the worker gets `why` as the reason. Does nothing after `commit`. */
  discard(why: unknown): Promise<void>
}

/** Loads according to the plan until the rows are staged. */
export function stageTaskLoad(
  pool: Pick<LoadPool, 'load'>,
  plan: LoadPlan,
  handlers: Omit<LoadHandlers, 'onStaged' | 'beforeCommit'>,
): Promise<StagedTaskLoad> {
  const staged = Promise.withResolvers<StagedTaskLoad>()
  const decision = Promise.withResolvers<RecordCommit>()
  const commit = (record: RecordCommit): Promise<LoadOutcome> => {
    decision.resolve(record)
    return loaded
  }
  const discard = async (why: unknown): Promise<void> => {
    decision.reject(why)
    await loaded.catch(() => undefined)
  }
  const loaded = pool.load(plan, {
    ...handlers,
    onStaged: async () => {
      staged.resolve({ commit, discard })
      await decision.promise
    },
    beforeCommit: async (token, outcome) => (await decision.promise)(token, outcome),
  })
  decision.promise.catch(() => undefined)
  loaded.catch(staged.reject)
  return staged.promise
}
