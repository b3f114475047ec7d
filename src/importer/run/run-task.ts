import { randomUUID } from 'node:crypto'
import { explain, Failure } from '../../lib/errors.ts'
import { leaveDeaf, WorkLeft } from '../../lib/workers/leave-deaf.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import { findFileStore } from '../kinds/load/file-layer.ts'
import type { Naming } from '../kinds/load/find-target.ts'
import { findTarget, releaseTarget } from '../kinds/load/find-target.ts'
import { loadTask, withLoad } from '../kinds/load/stage-load.ts'
import type { Target } from '../kinds/load/target.ts'
import { isOfMosaic } from '../kinds/mosaic/examine-mosaic.ts'
import { loadMosaic } from '../kinds/mosaic/load-mosaic.ts'
import { lookAgain } from '../kinds/mosaic/look-at-mosaic.ts'
import { findMosaicTarget } from '../kinds/mosaic/mosaic-target.ts'
import { runRaster } from '../kinds/raster/run-raster.ts'
import { reexamine } from '../kinds/reexamine.ts'
import { runDirect } from '../kinds/served/run-served.ts'
import { deafMs, LoadCanceled, tellEnded } from '../live/live.ts'
import type { TaskLayer, TaskLoad, TaskRecord } from '../model/model.ts'
import { proposeLayer, taskAfter } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { findTask, getImport, getTask } from '../records/records.ts'
import type { LoadOutcome } from '../worker/worker.ts'
import type { Course } from './course.ts'
import { save } from './course.ts'
import { publishLoad, resumeUnsettled, settleAfterFailure, settleLoad } from './recover-load.ts'

const maxTaskAttempts = 3
const maxNameTries = 10

/** The task after its run; a load whose end is not known stays with it. */
function withoutRun({ run, ...task }: TaskRecord, { isUnsettled }: Course): TaskRecord {
  return isUnsettled === true && run?.load !== undefined ? { ...task, unsettled: run.load } : task
}

async function endInError(parts: ImporterParts, course: Course, reason: string): Promise<void> {
  const failed = taskAfter(course.task, { type: 'failed' })
  await save(parts, course, { ...withoutRun(failed, course), errorMessage: reason })
}

/** Looks at the data again where that failed before. */
async function describeAgain(
  parts: ImporterParts,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  if (task.mosaic !== undefined) return lookAgain(parts, task, task.mosaic, signal)
  const [file] = task.files
  if (task.source !== undefined || file === undefined) return task
  const { charset } = task
  const described = await parts.pool.describe(file, { signal, ...(charset === undefined ? {} : { charset }) })
  const [source] = described.layers
  if (source === undefined) return task
  return { ...task, source, layer: proposeLayer(source) }
}

/** One load at a time into a table, published before the next; some stores take one load at a time in all. */
async function takeTurns(
  parts: ImporterParts,
  { store, table }: Target,
  signal: AbortSignal,
  work: { load(): Promise<LoadOutcome>; publish(outcome: LoadOutcome): Promise<void> },
): Promise<void> {
  const load =
    findStoreDescription(store.type)?.can.oneLoadAtATime === true
      ? () => parts.locks.hold(`store ${store.id}`, work.load, signal)
      : () => work.load()
  await parts.locks.hold(`table ${store.id}/${table}`, async () => work.publish(await load()), signal)
}

/** Loads into one file that is served as it is follow one another: the first points its store to a file of ours. */
async function loadInTurn(parts: ImporterParts, course: Course, signal: AbortSignal): Promise<void> {
  const load = () => loadAndPublish(parts, course, signal)
  const store = await findFileStore(parts, course.record, course.task)
  await (store === undefined ? load() : parts.locks.hold(`file of store ${store.id}`, load, signal))
}

/**
 * Where only the load finds out that the table's name is taken, the next one takes a name that was looked up; another
 * process may be faster with that again.
 */
async function loadAndPublish(parts: ImporterParts, course: Course, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await loadInto(parts, course, signal, { isLookedUp: tries > 1, signal })
      return
    } catch (error) {
      const isTaken = error instanceof Failure && error.code === 'table-exists'
      if (!isTaken || course.isUnsettled === true || tries === maxNameTries) throw error
    }
  }
}

async function loadInto(
  parts: ImporterParts,
  course: Course,
  signal: AbortSignal,
  naming: Naming,
): Promise<void> {
  const isMosaic = isOfMosaic(course.task)
  const loadId = randomUUID()
  const { target, granuleFolder } = isMosaic
    ? await findMosaicTarget(parts, course.record, course.task, { loadId, naming })
    : { target: await findTarget(parts, course.record, course.task, naming) }
  const taskLoad: TaskLoad = {
    loadId,
    storeId: target.store.id,
    table: target.table,
    layerName: target.layerName,
    isNewLayer: target.layer === undefined,
    ...(target.moved === undefined ? {} : { movedTo: target.moved.path }),
    ...(granuleFolder === undefined ? {} : { granuleFolder }),
  }
  const load = isMosaic ? loadMosaic : loadTask
  try {
    await save(parts, course, withLoad(course.task, taskLoad))
    await takeTurns(parts, target, signal, {
      load: () => load(parts, course, target, taskLoad, signal),
      publish: ({ table }) => publishLoad(parts, course, course.task.run?.load ?? taskLoad, table),
    })
  } catch (error) {
    if (!(await settleAfterFailure(parts, course))) throw error
  } finally {
    releaseTarget(parts, course.record, target)
  }
}

function isFinal(course: Course, jobId: number): boolean {
  return course.task.run?.jobId !== jobId
}

async function attempt(parts: ImporterParts, course: Course, signal: AbortSignal): Promise<void> {
  await resumeUnsettled(parts, course)
  if (await settleLoad(parts, course)) return
  const { run } = course.task
  const attempts = (run?.attempt ?? 0) + 1
  if (attempts > maxTaskAttempts) {
    await endInError(parts, course, `It was begun ${maxTaskAttempts} times and the server died each time`)
    return
  }
  const begun = await begin(parts, course, attempts, signal)
  if (!begun) return
  if (isOfMosaic(course.task)) await loadAndPublish(parts, course, signal)
  else if (course.task.kind === 'raster') course.task = await runRaster(parts, course, signal)
  else if (course.task.isDirect) course.task = await runDirect(parts, course.record, course.task, signal)
  else await loadInTurn(parts, course, signal)
}

/** The layer as it is wanted, without what an earlier run had loaded. */
function withoutLoaded(layer: TaskLayer | undefined): { layer?: TaskLayer } {
  if (layer === undefined) return {}
  const { loaded: _loaded, ...wanted } = layer
  return { layer: wanted }
}

/** Looks at the task once more and sets it RUNNING; false when it cannot run. */
async function begin(
  parts: ImporterParts,
  course: Course,
  attempts: number,
  signal: AbortSignal,
): Promise<boolean> {
  const jobId = course.task.run?.jobId ?? 0
  if (course.task.state === 'RUNNING') {
    await save(parts, course, { ...course.task, run: { jobId, attempt: attempts } })
    return true
  }
  const described = await describeAgain(parts, course.task, signal)
  const examined = await reexamine(parts, course.record, described)
  if (examined.state !== 'READY') {
    await save(parts, course, examined)
    return false
  }
  const {
    rowsRead: _read,
    rowsLoaded: _loaded,
    rejected: _rejected,
    errorMessage: _error,
    ...rest
  } = examined
  const fresh = { ...rest, ...withoutLoaded(rest.layer), messages: rest.source?.messages ?? [] }
  const started = taskAfter(fresh, { type: 'started' })
  await save(parts, course, { ...started, run: { jobId, attempt: attempts } })
  return true
}

/** Runs one task of a job to its end. Only a stop of the server is thrown; everything else stands on the task. */
export async function runTask(
  parts: ImporterParts,
  importId: number,
  taskId: number,
  job: { id: number; signal: AbortSignal },
): Promise<void> {
  const db = parts.database.kysely
  const found = await findTask(db, importId, taskId)
  if (found === undefined || found.run?.jobId !== job.id) return
  const course: Course = { record: await getImport(db, importId), task: found }
  const work = parts.running.begin(importId, job.signal, taskId)
  try {
    await leaveDeaf(attempt(parts, course, work.signal), work.signal, deafMs)
  } catch (error) {
    if (error instanceof WorkLeft) tellEnded(parts, 'job', error)
    if (job.signal.aborted) throw error
    const task = await getTask(db, importId, taskId)
    // What was left to itself keeps the other course, whose saves fail from the next one on.
    const isUnsettled = course.isUnsettled === true || error instanceof WorkLeft
    const ending: Course = { record: course.record, task, isUnsettled }
    if (isFinal(ending, job.id)) return
    if (work.signal.reason instanceof LoadCanceled) {
      await save(parts, ending, withoutRun(taskAfter(task, { type: 'canceled' }), ending))
    } else {
      parts.log.info({ err: error, importId, taskId }, 'a task failed')
      await endInError(parts, ending, explain(error))
    }
  } finally {
    work.end()
  }
}
