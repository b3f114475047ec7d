import type { LoadOutcome, LoadPlan } from './load-plan.ts'
import type { LoadHandlers, LoadPool } from './load-pool.ts'

/** Rows that stand beside their table, as yet invisible. Whoever has it commits or discards it: a worker waits for that. */
export interface StagedLoad {
  /** By it the store tells after a crash whether the commit happened; to be written down before it. */
  token: string
  outcome: LoadOutcome
  /** Makes the rows visible, all at once. */
  commit(): Promise<LoadOutcome>
  /** Takes them away; `why` is what the worker is told. Does nothing after `commit`. */
  discard(why: unknown): Promise<void>
}

/** Loads as the plan says up to the commit. */
export function stageLoad(
  pool: Pick<LoadPool, 'load'>,
  plan: LoadPlan,
  handlers: Omit<LoadHandlers, 'beforeCommit'>,
): Promise<StagedLoad> {
  const staged = Promise.withResolvers<StagedLoad>()
  const decision = Promise.withResolvers<void>()
  const beforeCommit = (token: string, outcome: LoadOutcome): Promise<void> => {
    staged.resolve({ token, outcome, commit, discard })
    return decision.promise
  }
  const loaded = pool.load(plan, { ...handlers, beforeCommit })
  const commit = (): Promise<LoadOutcome> => {
    decision.resolve()
    return loaded
  }
  const discard = async (why: unknown): Promise<void> => {
    decision.reject(why)
    await loaded.catch(() => undefined)
  }
  decision.promise.catch(() => undefined)
  loaded.catch(staged.reject)
  return staged.promise
}
