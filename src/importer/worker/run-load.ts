import { Failure } from '../../lib/errors.ts'
import { writeChanges } from '../../stores/change-files/write-changes.ts'
import { commitLoad } from '../../stores/commit-load.ts'
import type { LoadResult, PreparedLoad, StagedLoad, VectorStore } from '../../stores/store.ts'
import { explainStopped } from '../model/load-rules.ts'
import { latestStore } from './latest-store.ts'
import type { FlowHooks } from './load-flow.ts'
import { calmHooks } from './load-flow.ts'
import type { LoadOutcome, LoadPlan, MendedOutcome, TriedLoad } from './load-plan.ts'
import type { StagedPlan } from './stage-plan.ts'
import { readPlan, stagePlan } from './stage-plan.ts'
import { layBy, tryOut } from './try-out.ts'

export interface RunLoadHooks extends FlowHooks {
  onStaged(): Promise<void>
  /** The limits of the load have stopped it; what was staged is laid by. */
  onStopped(tried: TriedLoad): Promise<void>
  /** None of the mended rows can be loaded; why stands in the list of rejected rows. */
  onNothingMended(mended: MendedOutcome): Promise<void>
  beforeCommit(token: string, outcome: LoadOutcome): Promise<void>
}

/** Nobody waits for what is staged, however long that takes. */
async function waitStaged(staged: StagedLoad, hooks: RunLoadHooks): Promise<void> {
  try {
    await hooks.onStaged()
  } catch (error) {
    await staged.discard()
    throw error
  }
}

/** Throws `Failure` where limits stop the load. */
async function checkLimits(plan: LoadPlan, load: StagedPlan, hooks: RunLoadHooks): Promise<void> {
  if (plan.trial === undefined || load.counted === undefined) return
  const tried = await tryOut(plan, plan.trial, load, hooks)
  if (tried.stopped.length === 0) return
  const { stopped } = tried
  // Mended rows are sent again by whoever accepts them.
  if (plan.mended === undefined) await hooks.onStopped(await layBy(load, tried))
  else {
    await load.staged.discard()
    await hooks.onStopped({ trial: tried })
  }
  throw new Failure('conflict', 'stopped', explainStopped(stopped))
}

/** What an UPSERT changes is listed whole before its commit; afterwards nobody could tell any more. */
async function listUpserted(
  { changesPath, upsert, table: name }: LoadPlan,
  store: VectorStore,
  prepared: PreparedLoad,
  signal: AbortSignal,
): Promise<void> {
  const changes = prepared.changes?.()
  if (changesPath === undefined || upsert === undefined || changes === undefined) return
  // Not every store describes a table that is not committed yet.
  const table = (prepared.result.table ?? (await store.findTable(name)))?.schema
  if (table === undefined) throw new Error(`The table "${name}" is gone during its load`)
  await writeChanges(changesPath, { table, changes, keys: upsert.keys }, signal)
}

/** Throws where the load may not be kept. The list of rejected rows stands on disk before mended ones are committed. */
async function settle(
  { mended, rejectsPath }: LoadPlan,
  { ledger, schema, syncRejects }: StagedPlan,
  result: LoadResult,
  { signal, onNothingMended }: RunLoadHooks,
): Promise<LoadOutcome> {
  if (mended !== undefined && ledger.known !== undefined) {
    const { writeMended } = await import('./write-mended.ts')
    syncRejects?.()
    await writeMended(mended, rejectsPath, ledger.known, signal)
    const became = ledger.mended
    if (became?.rows.loaded === 0) await onNothingMended(became)
  }
  return ledger.settle(result, schema)
}

async function commit(
  plan: LoadPlan,
  store: VectorStore,
  load: StagedPlan,
  hooks: RunLoadHooks,
): Promise<LoadOutcome> {
  const { staged } = load
  let outcome: LoadOutcome | undefined
  await commitLoad(staged, async (token, result, prepared) => {
    outcome = await settle(plan, load, result, hooks)
    await listUpserted(plan, store, prepared, hooks.signal)
    const { rowsRead, rejected } = outcome
    const spared = load.ledger.sparedKeys?.message
    if (spared !== undefined) hooks.onMessage(spared)
    hooks.onProgress({ phase: 'committing', rows: rowsRead, rejected })
    await hooks.beforeCommit(token, outcome)
  })
  if (outcome === undefined) throw new Error('The store ended its load without a commit')
  return outcome
}

/** Rows that were refused in the end get the values of their source, which is a file that can be read again. */
async function giveSourceValues(plan: LoadPlan, load: StagedPlan, signal: AbortSignal): Promise<void> {
  const { gone } = load.ledger
  if (gone.size === 0 || plan.source.kind !== 'file' || plan.mended !== undefined) return
  const { restoreRejects } = await import('./restore-rejects.ts')
  load.close()
  await restoreRejects(plan, gone, signal)
}

/** Reads, transforms and loads as the plan says; the target is untouched unless it returns. */
export async function runLoad(plan: LoadPlan, givenHooks: RunLoadHooks): Promise<LoadOutcome> {
  const hooks = calmHooks(givenHooks)
  const store = await latestStore(plan.connection)
  const load = await stagePlan(plan, store, hooks)
  try {
    await checkLimits(plan, load, hooks)
    await waitStaged(load.staged, hooks)
    const outcome = await commit(plan, store, load, hooks)
    await giveSourceValues(plan, load, hooks.signal)
    return outcome
  } finally {
    load.close()
  }
}

/** Does what a load does before its commit, and tells what that would do. */
export async function rehearseLoad(plan: LoadPlan, givenHooks: FlowHooks): Promise<TriedLoad> {
  const hooks = calmHooks(givenHooks)
  const { trial } = plan
  if (trial === undefined) throw new Error('A rehearsal needs to know what to look at')
  const load =
    plan.isReadOnly === true
      ? await readPlan(plan, hooks)
      : await stagePlan(plan, await latestStore(plan.connection), hooks)
  try {
    return await layBy(load, await tryOut(plan, trial, load, hooks))
  } finally {
    load.close()
  }
}
