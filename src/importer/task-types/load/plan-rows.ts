import type { Catalog } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import { labelOfCrs } from '../../../geo/crs-uncoded.ts'
import type { StoreConnection, UpsertRules } from '../../../stores/index.ts'
import type { TransformSpec } from '../../../transforms/index.ts'
import type { TaskLoad, TaskRecord } from '../../model/model.ts'
import { finalSchema, rejectLimitOf, transformsOf } from '../../model/model.ts'
import type { LoadPlan, LoadSource } from '../../worker/worker.ts'
import type { Running } from '../task-type.ts'
import { prepareMove } from './file-layer.ts'
import type { Loader } from './loader.ts'
import type { RowLoadDeps, RowSource } from './row-load-deps.ts'
import type { Target } from './target.ts'

/** Rows to stage and their target. */
export interface RowStage {
  running: Running
  load: TaskLoad
  target: Target
  source: RowSource
}

/** Load plan of the rows, and what is reported about it. */
export interface PlannedRows {
  plan: LoadPlan
  messages: FormatMessage[]
}

/** Options for copying a layer whose data are in a file. */
export interface CopyOptions {
  /** True if it is copied already. */
  isCopied: boolean
  /** True to copy rows that will be replaced, because they are compared. */
  isWhole: boolean
}

interface Step {
  spec: TransformSpec
  message: FormatMessage
}

/** Returns the transformation to the CRS of the target, if needed. */
async function towardsTarget(catalog: Catalog, task: TaskRecord, target: Target): Promise<Step | undefined> {
  if (!target.isExisting) return undefined
  const known = target.layer?.details.srs
  const opened = await catalog.stores.open(target.moved?.from ?? target.store)
  const table =
    known === undefined ? await opened.findTable(target.layer?.nativeName ?? target.table) : undefined
  const requested = known ?? table?.schema.geometry?.crs?.srs
  const { geometry } = finalSchema(task)
  if (requested === undefined || geometry === undefined || isSameCrs(geometry.crs, requested))
    return undefined
  const from = geometry.crs === undefined ? '' : ` from ${labelOfCrs(geometry.crs)}`
  const text = `The features were reprojected${from} to ${requested}, the CRS of the target layer`
  return {
    spec: { type: 'ReprojectTransform', target: requested },
    message: { level: 'info', code: 'reprojected', message: text },
  }
}

function upsertOf({ updateMode, keys = [], deleteMissing = false }: TaskRecord): UpsertRules | undefined {
  if (updateMode !== 'UPSERT') return undefined
  if (keys.length === 0) throw invalid('no-keys', 'An UPSERT needs "keys": columns that identify a row')
  return { keys, deletesMissing: deleteMissing }
}

function planOf(
  loader: Loader,
  { running, load, target }: RowStage,
  source: LoadSource,
  connection: StoreConnection,
): LoadPlan {
  const { task } = running
  const { attributes, srs } = task.layer ?? {}
  const isTargetFilled = target.copyFrom !== undefined && (target.layer?.details.featureCount ?? 1) > 0
  const upsert = upsertOf(task)
  const keepAs = load.keep !== undefined && 'id' in load.keep ? load.keep.id : undefined
  return {
    loadId: load.loadId,
    source,
    transforms: transformsOf(task),
    connection,
    mode: target.isExisting ? task.updateMode : 'CREATE',
    table: load.table,
    rejectsPath: loader.rejectsPath(task),
    rejectLimit: rejectLimitOf(task),
    repair: task.repair || undefined,
    allowEmpty: task.allowEmpty || undefined,
    isTargetFilled: isTargetFilled || undefined,
    attributes,
    srs,
    upsert,
    keepAs,
  }
}

/** Copies a layer whose data are in a file into the table that the load writes to next. */
async function copyLayer(
  { catalog, loader, indexMaker }: RowLoadDeps,
  { running: { task }, load, target }: RowStage,
  connection: StoreConnection,
  { isWhole }: CopyOptions,
  signal: AbortSignal,
): Promise<void> {
  const { copyFrom } = target
  if (copyFrom === undefined) return
  const from = await catalog.stores.connection(copyFrom.store)
  if (from.indexFolder !== undefined) await indexMaker.make(from, { signal })
  const plan: LoadPlan = {
    loadId: load.loadId,
    source: {
      kind: 'table',
      connection: from,
      table: copyFrom.table,
      isEmpty: task.updateMode === 'REPLACE' && !isWhole,
    },
    transforms: [],
    connection,
    mode: 'CREATE',
    table: target.table,
    rejectsPath: `${loader.rejectsPath(task)}.copy`,
    rejectLimit: { rows: 0 },
    srs: target.layer?.details.srs,
  }
  await loader.copy(plan, signal)
}

/** Decides how the rows of the task are staged, and prepares the target. */
export async function planTaskRows(
  deps: RowLoadDeps,
  stage: RowStage,
  copy: CopyOptions,
  signal: AbortSignal,
): Promise<PlannedRows> {
  const { running, load, target, source } = stage
  const connection = await deps.catalog.stores.connection(target.store)
  if (!copy.isCopied) {
    await prepareMove(target, signal)
    await copyLayer(deps, stage, connection, copy, signal)
  }
  await source.refuse(running, { connection, table: load.table })
  const plan = planOf(deps.loader, stage, source.open(running), connection)
  const step = await towardsTarget(deps.catalog, running.task, target)
  if (step === undefined) return { plan, messages: [] }
  return { plan: { ...plan, transforms: [...plan.transforms, step.spec] }, messages: [step.message] }
}
