import { existsSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { RejectWriter } from '../../formats/reject-writer.ts'
import type { Schema } from '../../geo/schema.ts'
import type { LoadHooks, LoadRequest, StagedLoad, TableDescription, VectorStore } from '../../stores/index.ts'
import { asksChanges } from '../model/load-rules.ts'
import type { Flow, FlowHooks } from './load-flow.ts'
import { flowOf } from './load-flow.ts'
import type { LoadPlan } from './load-plan.ts'
import type { OpenSource } from './open-source.ts'
import { openSource } from './open-source.ts'
import { readOnly } from './read-only-load.ts'
import { RowAccounting, takesRowsAway } from './row-accounting.ts'
import { SparedKeys } from './spared-keys.ts'

/** Staged rows of a plan, with their measurements. */
export interface StagedPlan {
  staged: StagedLoad
  schema: Schema
  indexes: string[]
  accounting: RowAccounting
  /** Flushes the rejected rows to disk. */
  syncRejects?(): void
  /** Statistics of the rows; absent for rows that were staged earlier. */
  counted?: Pick<Flow, 'figures' | 'polygons'>
  /** Description of the target before a measured load. */
  before?: TableDescription
  /** Number of rows of the table before the load, if a limit uses it. */
  rowsBefore?: number
  close(): void
}

/** True if the table has rows; reads only the first one. */
async function holdsRows(store: VectorStore, plan: LoadPlan, signal: AbortSignal): Promise<boolean> {
  if (plan.isTargetFilled === true) return true
  if (plan.allowEmpty === true || (await store.findTable(plan.table)) === undefined) return false
  for await (const { batch } of store.readFeatures({ table: plan.table, limit: 1, offset: 0 }, signal)) {
    if (batch.rowCount > 0) return true
  }
  return false
}

function requestOf(
  plan: LoadPlan,
  { schema, indexes }: Pick<Flow, 'schema' | 'indexes'>,
  { sparedKeys }: RowAccounting,
): LoadRequest {
  const { loadId, mode, table, keepAs } = plan
  const spared = sparedKeys === undefined ? {} : { spared: () => sparedKeys.spared }
  const upsert = plan.upsert === undefined ? undefined : { ...plan.upsert, ...spared }
  const isTried = plan.trial !== undefined || plan.takeUp !== undefined
  return { loadId, mode, table, schema, indexes, upsert, keepAs, isDryRun: isTried || undefined }
}

async function openRowAccounting(
  plan: LoadPlan,
  store: VectorStore,
  hooks: FlowHooks,
  kept?: Pick<NonNullable<LoadPlan['takeUp']>, 'rejected' | 'spared'>,
): Promise<{ accounting: RowAccounting; syncRejects(): void; close(): void }> {
  const rejects = new RejectWriter(plan.rejectsPath, kept?.rejected ?? 0)
  const accounting = new RowAccounting(plan, rejects, hooks.onProgress)
  accounting.isTargetFilled = takesRowsAway(plan) && (await holdsRows(store, plan, hooks.signal))
  if (plan.upsert?.deletesMissing === true) accounting.sparedKeys = new SparedKeys(plan.upsert, kept?.spared)
  return { accounting, syncRejects: () => rejects.sync(), close: () => rejects.close() }
}

function loadHooks(
  { signal, onMessage, beforeTouch }: FlowHooks,
  accounting: RowAccounting,
  flow?: Pick<Flow, 'figures'>,
): LoadHooks {
  return {
    signal,
    onMessage,
    beforeTouch,
    onReject: (batch, row, why) => {
      accounting.refuse(batch, row, why)
      flow?.figures?.refuse(batch, row)
    },
  }
}

/** Returns the number of rows of the target, if a limit is a share of them. */
async function countBefore(
  { trial: dryRun, table }: LoadPlan,
  store: VectorStore,
  before: TableDescription | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (before === undefined || !asksChanges(dryRun?.stopIf ?? {})) return undefined
  return store.count({ table }, signal)
}

/** The code for corrected rows is imported only when needed. */
async function openRows(plan: LoadPlan, accounting: RowAccounting, hooks: FlowHooks): Promise<OpenSource> {
  if (plan.mended === undefined) return openSource(plan.source, hooks.signal)
  const { openSent } = await import('./open-sent.ts')
  return openSent(plan.source, plan.mended, accounting, hooks)
}

/** Reads, transforms and stages rows according to the plan. */
async function stageAnew(plan: LoadPlan, store: VectorStore, hooks: FlowHooks): Promise<StagedPlan> {
  const isCompared = plan.trial !== undefined && plan.mode !== 'CREATE'
  const before = isCompared ? await store.findTable(plan.table) : undefined
  const rowsBefore = await countBefore(plan, store, before, hooks.signal)
  const { accounting, syncRejects, close } = await openRowAccounting(plan, store, hooks)
  const source = await openRows(plan, accounting, hooks)
  try {
    const flow = await flowOf(plan, source, accounting, hooks)
    const { schema, indexes } = flow
    accounting.sparedKeys?.readFrom(schema)
    const staged = await store.stage(
      requestOf(plan, flow, accounting),
      flow.batches,
      loadHooks(hooks, accounting, flow),
    )
    const load = { staged, schema, indexes, accounting, syncRejects, counted: flow, close }
    return { ...load, before, rowsBefore }
  } catch (error) {
    close()
    throw error
  } finally {
    await source.close()
  }
}

/** Reads and transforms rows according to the plan, without a store: the file is served directly. */
export async function readPlan(plan: LoadPlan, hooks: FlowHooks): Promise<StagedPlan> {
  const rejects = new RejectWriter(plan.rejectsPath)
  const close = (): void => rejects.close()
  const accounting = new RowAccounting(plan, rejects, hooks.onProgress)
  const source = await openSource(plan.source, hooks.signal)
  try {
    const flow = await flowOf(plan, source, accounting, hooks)
    const { schema, indexes } = flow
    return { staged: await readOnly(flow.batches), schema, indexes, accounting, counted: flow, close }
  } catch (error) {
    close()
    throw error
  } finally {
    await source.close()
  }
}

/** Reuses rows staged earlier; undefined if they have changed. */
async function takeUp(plan: LoadPlan, store: VectorStore, hooks: FlowHooks): Promise<StagedPlan | undefined> {
  const { takeUp: kept } = plan
  if (kept === undefined || store.takeUp === undefined) return undefined
  if (existsSync(kept.rejectsPath)) {
    await mkdir(dirname(plan.rejectsPath), { recursive: true })
    await copyFile(kept.rejectsPath, plan.rejectsPath)
  }
  const { accounting, close } = await openRowAccounting(plan, store, hooks, kept)
  accounting.rowsRead = kept.rowsRead
  try {
    const { schema, indexes } = kept
    accounting.sparedKeys?.readFrom(schema)
    const staged = await store.takeUp(
      requestOf(plan, kept, accounting),
      kept.text,
      loadHooks(hooks, accounting),
    )
    return { staged, schema, indexes, accounting, close }
  } catch (error) {
    close()
    if (error instanceof Failure && error.code === 'staged-gone') return undefined
    throw error
  }
}

/** Stages rows according to the plan, or reuses rows staged earlier for it. */
export async function stagePlan(plan: LoadPlan, store: VectorStore, hooks: FlowHooks): Promise<StagedPlan> {
  if (plan.takeUp === undefined) return stageAnew(plan, store, hooks)
  const taken = await takeUp(plan, store, hooks)
  if (taken !== undefined) return taken
  await store.sweep(plan.loadId)
  hooks.onMessage({
    level: 'info',
    code: 'rehearsal-not-taken',
    message: 'The rows staged before no longer exist: the data were read again',
  })
  return stageAnew(plan, store, hooks)
}
