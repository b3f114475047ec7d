import { rm } from 'node:fs/promises'
import type { Message } from '../../../formats/format.ts'
import { defined } from '../../../lib/defined.ts'
import { Failure } from '../../../lib/errors.ts'
import type { StoreConnection } from '../../../stores/store.ts'
import type { TransformSpec } from '../../../transforms/transform.ts'
import type { TaskLoad, TaskRecord } from '../../model/model.ts'
import { finalSchema, rejectLimitOf, transformsOf } from '../../model/model.ts'
import type { LoadPlan, LoadProgress, LoadSource } from '../../worker/worker.ts'
import type { Running, StageNotes } from '../kind.ts'
import { prepareMove } from './file-layer.ts'
import type { StagedRows } from './loader.ts'
import type { RowNeeds, RowSource } from './row-needs.ts'
import type { Target } from './target.ts'

/** What is staged, and where to. */
export interface RowStage {
  running: Running
  load: TaskLoad
  target: Target
  source: RowSource
}

interface Step {
  spec: TransformSpec
  message: Message
}

/** The transformation that takes the rows to the target's CRS, where that is another. */
async function towardsTarget(
  { catalog }: RowNeeds,
  task: TaskRecord,
  target: Target,
): Promise<Step | undefined> {
  if (!target.isExisting) return undefined
  const known = target.layer?.details.srs
  const opened = await catalog.stores.open(target.moved?.from ?? target.store)
  const table =
    known === undefined ? await opened.findTable(target.layer?.nativeName ?? target.table) : undefined
  const wanted = known ?? table?.schema.geometry?.crs?.srs
  const { geometry } = finalSchema(task)
  const present = geometry?.crs?.srs
  if (wanted === undefined || geometry === undefined || present === wanted) return undefined
  const from = present === undefined ? '' : ` from ${present}`
  const text = `The features were reprojected${from} to ${wanted}, the CRS of the layer that they went to`
  return {
    spec: { type: 'ReprojectTransform', target: wanted },
    message: { level: 'info', code: 'reprojected', message: text },
  }
}

function planRows(
  { loader }: RowNeeds,
  { running, load, target }: RowStage,
  source: LoadSource,
  connection: StoreConnection,
): LoadPlan {
  const { task } = running
  const { attributes, srs } = task.layer ?? {}
  const isTargetFilled = target.copyFrom !== undefined && (target.layer?.details.featureCount ?? 1) > 0
  return {
    loadId: load.loadId,
    source,
    transforms: transformsOf(task),
    connection,
    mode: target.isExisting ? task.updateMode : 'CREATE',
    table: load.table,
    rejectsPath: loader.rejectsPath(task),
    rejectLimit: rejectLimitOf(task),
    ...(task.repair === true ? { repair: true } : {}),
    ...(task.allowEmpty === true ? { allowEmpty: true } : {}),
    ...(isTargetFilled ? { isTargetFilled: true } : {}),
    ...defined({ attributes, srs }),
  }
}

/** Copies a layer that stands in a file into the table that is loaded into next. */
async function copyLayer(
  { catalog, loader, indexMaker }: RowNeeds,
  { running: { task }, load, target }: RowStage,
  connection: StoreConnection,
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
      isEmpty: task.updateMode === 'REPLACE',
    },
    transforms: [],
    connection,
    mode: 'CREATE',
    table: target.table,
    rejectsPath: `${loader.rejectsPath(task)}.copy`,
    rejectLimit: { rows: 0 },
    ...defined({ srs: target.layer?.details.srs }),
  }
  await loader.copy(plan, signal)
}

/** Stages the task's rows beside their table. */
export async function stageRows(
  needs: RowNeeds,
  stage: RowStage,
  notes: StageNotes,
  signal: AbortSignal,
): Promise<StagedRows> {
  const { running, load, target, source } = stage
  const { task } = running
  const connection = await needs.catalog.stores.connection(target.store)
  await prepareMove(target, signal)
  await copyLayer(needs, stage, connection, signal)
  await source.refuse(running, { connection, table: load.table })
  const planned = planRows(needs, stage, source.open(running), connection)
  const step = await towardsTarget(needs, task, target)
  const plan = step === undefined ? planned : { ...planned, transforms: [...planned.transforms, step.spec] }
  const messages = step === undefined ? [] : [step.message]
  const startedMs = performance.now()
  await rm(plan.rejectsPath, { force: true })
  let latest: LoadProgress | undefined
  const onProgress = (progress: LoadProgress): void => {
    latest = progress
  }
  const staged = await needs.loader.stage(plan, { task, startedMs, signal, messages, onProgress })
  return {
    commit: (write) =>
      staged.commit(write).catch(async (error: unknown) => {
        const isGivenUp = error instanceof Failure && error.code === 'too-many-rejects'
        if (isGivenUp && latest !== undefined) {
          await notes.keepCounts({ rowsRead: latest.rows, rejected: latest.rejected })
        }
        throw error
      }),
    discard: staged.discard,
  }
}
