import { Failure } from '../../core/errors/errors.ts'
import type { LoadResult, PreparedLoad, StagedLoad, VectorStore } from '../../stores/index.ts'
import { commitLoad, writeChanges } from '../../stores/worker.ts'
import { explainStopped } from '../model/load-rules.ts'
import { latestStore } from './latest-store.ts'
import type { FlowHooks } from './load-flow.ts'
import { calmHooks } from './load-flow.ts'
import type { CorrectionOutcome, LoadOutcome, LoadPlan, TriedLoad } from './load-plan.ts'
import type { StagedPlan } from './stage-plan.ts'
import { readPlan, stagePlan } from './stage-plan.ts'
import { retainDryRun, tryOut } from './try-out.ts'

export interface RunLoadHooks extends FlowHooks {
  onStaged(): Promise<void>
  /** Called when the limits of the load have stopped it; the staged rows are retained. */
  onStopped(tried: TriedLoad): Promise<void>
  /** Called if none of the corrected rows can be loaded; the list of rejected rows gives the reasons. */
  onNothingCorrected(corrected: CorrectionOutcome): Promise<void>
  beforeCommit(token: string, outcome: LoadOutcome): Promise<void>
}

/** Waits, without a time limit, until the staged rows may commit. Discards them if the wait fails. */
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
  // Corrected rows are not retained: a user who waives the limits uploads them again.
  if (plan.mended === undefined) await hooks.onStopped(await retainDryRun(load, tried))
  else {
    await load.staged.discard()
    await hooks.onStopped({ trial: tried })
  }
  throw new Failure('conflict', 'stopped', explainStopped(stopped))
}

/** Lists all changes of an UPSERT before its commit; afterwards they can no longer be determined. */
async function listUpserted(
  { changesPath, upsert, table: name }: LoadPlan,
  store: VectorStore,
  prepared: PreparedLoad,
  signal: AbortSignal,
): Promise<void> {
  const changes = prepared.changes?.()
  if (changesPath === undefined || upsert === undefined || changes === undefined) return
  // Not every store describes a table before its commit.
  const table = (prepared.result.table ?? (await store.findTable(name)))?.schema
  if (table === undefined) throw new Error(`The table "${name}" is gone during its load`)
  await writeChanges(changesPath, { table, changes, keys: upsert.keys }, signal)
}

/**
 * Throws if the load must not commit. The list of rejected rows is on disk before corrected rows are
 * committed.
 */
async function settle(
  { mended: corrected, rejectsPath }: LoadPlan,
  { accounting, schema, syncRejects }: Pick<StagedPlan, 'schema' | 'accounting' | 'syncRejects'>,
  result: LoadResult,
  { signal, onNothingCorrected }: RunLoadHooks,
): Promise<LoadOutcome> {
  if (corrected !== undefined && accounting.known !== undefined) {
    const { writeCorrections: writeCorrectedRows } = await import('./write-corrections.ts')
    syncRejects?.()
    await writeCorrectedRows(corrected, rejectsPath, accounting.known, signal)
    const became = accounting.mended
    if (became?.rows.loaded === 0) await onNothingCorrected(became)
  }
  return accounting.settle(result, schema)
}

async function commit(
  plan: LoadPlan,
  store: VectorStore,
  load: Pick<StagedPlan, 'staged' | 'schema' | 'accounting' | 'syncRejects'>,
  hooks: RunLoadHooks,
): Promise<LoadOutcome> {
  const { staged } = load
  let outcome: LoadOutcome | undefined
  await commitLoad(staged, async (token, result, prepared) => {
    outcome = await settle(plan, load, result, hooks)
    await listUpserted(plan, store, prepared, hooks.signal)
    const { rowsRead, rejected } = outcome
    const spared = load.accounting.sparedKeys?.message
    if (spared !== undefined) hooks.onMessage(spared)
    hooks.onProgress({ phase: 'committing', rows: rowsRead, rejected })
    await hooks.beforeCommit(token, outcome)
  })
  if (outcome === undefined) throw new Error('The store ended its load without a commit')
  return outcome
}

/**
 * Adds source values to rows that were rejected at the end, if the source is a file that can be read again.
 */
async function giveSourceValues(
  plan: LoadPlan,
  load: Pick<StagedPlan, 'accounting' | 'close'>,
  signal: AbortSignal,
): Promise<void> {
  const { gone } = load.accounting
  if (gone.size === 0 || plan.source.kind !== 'file' || plan.mended !== undefined) return
  const { restoreRejects } = await import('./restore-rejects.ts')
  load.close()
  await restoreRejects(plan, gone, signal)
}

/** Reads, transforms and loads according to the plan. If it throws, the target is unchanged. */
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

/** Dry run: does what a load does before its commit, and reports what the commit would do. */
export async function dryRunLoad(plan: LoadPlan, givenHooks: FlowHooks): Promise<TriedLoad> {
  const hooks = calmHooks(givenHooks)
  const { trial: dryRun } = plan
  if (dryRun === undefined) throw new Error('A dry run has no options')
  const load =
    plan.isReadOnly === true
      ? await readPlan(plan, hooks)
      : await stagePlan(plan, await latestStore(plan.connection), hooks)
  try {
    return await retainDryRun(load, await tryOut(plan, dryRun, load, hooks))
  } finally {
    load.close()
  }
}
