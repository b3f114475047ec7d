import type { LoadOutcome, LoadPlan } from './load-plan.ts'
import type { LoadHandlers, LoadPool } from './load-pool.ts'

/** Writes down by which token the store tells after a crash whether it committed; by throwing it refuses the load. */
type RecordCommit = (token: string, outcome: LoadOutcome) => Promise<void>

/** Rows that lie beside their table and hold up nobody. Whoever has it commits or discards it: a worker waits for that. */
export interface StagedLoad {
  /** Makes the rows visible, all at once, when `record` has written down what must be known of it before. */
  commit(record: RecordCommit): Promise<LoadOutcome>
  /** Takes them away; `why` is what the worker is told. Does nothing after `commit`. */
  discard(why: unknown): Promise<void>
}

/** Loads as the plan says until the rows are staged. */
export function stageLoad(
  pool: Pick<LoadPool, 'load'>,
  plan: LoadPlan,
  handlers: Omit<LoadHandlers, 'onStaged' | 'beforeCommit'>,
): Promise<StagedLoad> {
  const staged = Promise.withResolvers<StagedLoad>()
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
