import { rm } from 'node:fs/promises'
import type { Message } from '../../../formats/format.ts'
import { Failure } from '../../../lib/errors.ts'
import { ownValue } from '../../../lib/own-value.ts'
import type { StoreConnection } from '../../../stores/store.ts'
import type { TransformSpec } from '../../../transforms/transform.ts'
import { openedConnection } from '../../look/database-source.ts'
import type { ImportRecord, TaskLayer, TaskLoad, TaskRecord } from '../../model/model.ts'
import { finalSchema, rejectLimitOf, transformsOf } from '../../model/model.ts'
import type { ImporterParts } from '../../parts.ts'
import { rejectsPath } from '../../records/records.ts'
import type { Course } from '../../run/course.ts'
import { save } from '../../run/course.ts'
import type { LoadOutcome, LoadPlan, LoadProgress, LoadSource } from '../../worker/worker.ts'
import { refuseSameTable } from '../table/same-table.ts'
import { prepareMove } from './file-layer.ts'
import type { Target } from './target.ts'

function loadSource(parts: ImporterParts, record: ImportRecord, task: TaskRecord): LoadSource {
  const [file] = task.files
  const database = record.source?.database
  if (task.table !== undefined && database !== undefined && task.source !== undefined) {
    return { kind: 'database', connection: openedConnection(parts.vault, database), table: task.source }
  }
  const { source, format, charset } = task
  if (file === undefined || source === undefined || format === undefined) {
    throw new Error(`Task ${task.id} has no data to load`)
  }
  return { kind: 'file', file, format, layer: source, ...(charset === undefined ? {} : { charset }) }
}

interface Step {
  spec: TransformSpec
  message: Message
}

/** The transformation that takes the rows to the target's CRS, where that is another. */
async function towardsTarget(
  parts: ImporterParts,
  task: TaskRecord,
  target: Target,
): Promise<Step | undefined> {
  if (!target.isExisting) return undefined
  const known = target.layer?.details.srs
  const opened = await parts.catalog.stores.open(target.moved?.from ?? target.store)
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

async function planLoad(
  parts: ImporterParts,
  { record, task }: Course,
  load: TaskLoad,
  target: Target,
  connection: StoreConnection,
): Promise<LoadPlan> {
  const { layer } = task
  const database = record.source?.database
  if (task.table !== undefined && database !== undefined) {
    await refuseSameTable({ place: database.place, table: task.table }, { connection, table: load.table })
  }
  return {
    loadId: load.loadId,
    source: loadSource(parts, record, task),
    transforms: transformsOf(task),
    connection,
    mode: target.isExisting ? task.updateMode : 'CREATE',
    table: load.table,
    rejectsPath: rejectsPath(parts, task.importId, task.id),
    rejectLimit: rejectLimitOf(task),
    ...(task.repair === true ? { repair: true } : {}),
    ...(task.allowEmpty === true ? { allowEmpty: true } : {}),
    ...(target.copyFrom !== undefined && (target.layer?.details.featureCount ?? 1) > 0
      ? { isTargetFilled: true }
      : {}),
    ...(layer?.attributes === undefined ? {} : { attributes: layer.attributes }),
    ...(layer?.srs === undefined ? {} : { srs: layer.srs }),
  }
}

/** Tells how far a load is to those who watch. */
export function tellProgress(
  parts: ImporterParts,
  task: TaskRecord,
  startedMs: number,
  progress: LoadProgress,
): void {
  const total = task.source?.featureCount ?? -1
  const seconds = Math.max(0.001, (performance.now() - startedMs) / 1000)
  const rowsPerSecond = Math.round(progress.rows / seconds)
  const left = total < 0 || rowsPerSecond === 0 ? undefined : (total - progress.rows) / rowsPerSecond
  parts.progress.tell(task.importId, {
    type: 'progress',
    taskId: task.id,
    progress: {
      phase: progress.phase,
      progress: progress.rows,
      total,
      rejected: progress.rejected,
      rowsPerSecond,
      ...(left === undefined ? {} : { remainingSeconds: Math.max(0, Math.round(left)) }),
    },
  })
}

/** Copies a layer that stands in a file into the table that is loaded into next. */
async function copyLayer(
  parts: ImporterParts,
  course: Course,
  target: Target,
  connection: StoreConnection,
  work: { loadId: string; signal: AbortSignal },
): Promise<void> {
  const { copyFrom } = target
  if (copyFrom === undefined) return
  const from = await parts.catalog.stores.connection(copyFrom.store)
  if (from.indexFolder !== undefined) await parts.indexMaker.make(from, { signal: work.signal })
  const plan: LoadPlan = {
    loadId: work.loadId,
    source: {
      kind: 'table',
      connection: from,
      table: copyFrom.table,
      isEmpty: course.task.updateMode === 'REPLACE',
    },
    transforms: [],
    connection,
    mode: 'CREATE',
    table: target.table,
    rejectsPath: `${rejectsPath(parts, course.record.id, course.task.id)}.copy`,
    rejectLimit: { rows: 0 },
    ...(target.layer?.details.srs === undefined ? {} : { srs: target.layer.details.srs }),
  }
  await parts.pool.load(plan, {
    signal: work.signal,
    onProgress: () => undefined,
    onMessage: () => undefined,
    beforeCommit: () => Promise.resolve(),
  })
}

/** What went to the store, under the names that it has there. */
function loadedColumns({ schema, renamed }: LoadOutcome): NonNullable<TaskLayer['loaded']> {
  const { attributes, geometry } = schema
  return {
    attributes: attributes.map(({ name, type, source = name, example }) => ({
      name: ownValue(renamed, name) ?? name,
      type,
      source,
      ...(example === undefined ? {} : { example }),
    })),
    ...(geometry === undefined ? {} : { geometry: { name: geometry.name, type: geometry.type } }),
  }
}

export function withLoad(task: TaskRecord, load: TaskLoad): TaskRecord {
  return { ...task, run: { jobId: 0, attempt: 1, ...task.run, load } }
}

/** Loads the task's rows into its target; nothing is visible of them unless it returns. */
export async function loadTask(
  parts: ImporterParts,
  course: Course,
  target: Target,
  taskLoad: TaskLoad,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  const connection = await parts.catalog.stores.connection(target.store)
  await prepareMove(target, signal)
  await copyLayer(parts, course, target, connection, { loadId: taskLoad.loadId, signal })
  const planned = await planLoad(parts, course, taskLoad, target, connection)
  const step = await towardsTarget(parts, course.task, target)
  const plan = step === undefined ? planned : { ...planned, transforms: [...planned.transforms, step.spec] }
  const messages = step === undefined ? [] : [step.message]
  const startedMs = performance.now()
  await rm(plan.rejectsPath, { force: true })
  let latest: LoadProgress | undefined
  try {
    return await parts.pool.load(plan, {
      signal,
      onProgress: (progress) => {
        latest = progress
        tellProgress(parts, course.task, startedMs, progress)
      },
      onMessage: (message) => messages.push(message),
      beforeCommit: (token, outcome) => recordCommit(parts, course, taskLoad, token, outcome, messages),
    })
  } catch (error) {
    if (error instanceof Failure && error.code === 'too-many-rejects') await keepCounts(parts, course, latest)
    throw error
  }
}

/** The numbers of a load that was given up for its rejects, which can be looked at. */
async function keepCounts(
  parts: ImporterParts,
  course: Course,
  latest: LoadProgress | undefined,
): Promise<void> {
  if (latest === undefined) return
  const { rows: rowsRead, rejected } = latest
  await save(parts, course, { ...course.task, rowsRead, rowsLoaded: 0, rejected })
}

/** What must be known after a crash stands on disk before the store commits. */
export async function recordCommit(
  parts: ImporterParts,
  course: Course,
  taskLoad: TaskLoad,
  token: string,
  outcome: LoadOutcome,
  messages: Message[],
): Promise<void> {
  const { rowsRead, rowsLoaded, rejected, renamed } = outcome
  const renames = Object.entries(renamed).map(
    ([from, to]): Message => ({
      level: 'info',
      code: 'column-renamed',
      message: `Attribute "${from}" is stored as column "${to}"`,
    }),
  )
  const loaded = withLoad(course.task, { ...taskLoad, token, counts: { rowsRead, rowsLoaded, rejected } })
  await save(parts, course, {
    ...loaded,
    ...(loaded.layer === undefined ? {} : { layer: { ...loaded.layer, loaded: loadedColumns(outcome) } }),
    messages: [...course.task.messages, ...messages, ...renames],
  })
}
