import { randomUUID } from 'node:crypto'
import { getStoreById } from '../catalog/stores.ts'
import { explain } from '../lib/errors.ts'
import type { VectorStore } from '../stores/store.ts'
import type { Course } from './course.ts'
import { save } from './course.ts'
import { reexamine } from './examine.ts'
import { getImport } from './import-repository.ts'
import { loadTask, withLoad } from './load-task.ts'
import type { ImporterParts } from './parts.ts'
import { publishTask } from './publish.ts'
import type { TaskLoad, TaskRecord } from './records.ts'
import { runDirect } from './run-direct.ts'
import { LoadCanceled } from './running.ts'
import { taskAfter } from './settle.ts'
import type { Target } from './target.ts'
import { findTarget, releaseTarget } from './target.ts'
import { proposeLayer } from './task-layer.ts'
import { findTask, getTask } from './task-repository.ts'

const maxTaskAttempts = 3

function withoutRun({ run: _run, ...task }: TaskRecord): TaskRecord {
  return task
}

async function endInError(parts: ImporterParts, course: Course, reason: string): Promise<void> {
  const failed = taskAfter(course.task, { type: 'failed' })
  await save(parts, course, { ...withoutRun(failed), errorMessage: reason })
}

/** Looks at the data again where that failed before. */
async function describeAgain(
  parts: ImporterParts,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const [file] = task.files
  if (task.source !== undefined || file === undefined) return task
  const { charset } = task
  const described = await parts.pool.describe(file, { signal, ...(charset === undefined ? {} : { charset }) })
  const [source] = described.layers
  if (source === undefined) return task
  return { ...task, source, layer: proposeLayer(source) }
}

/** After the store's commit: the layer is published with what the table now holds. */
async function publish(parts: ImporterParts, course: Course, taskLoad: TaskLoad): Promise<void> {
  const opened = await openTarget(parts, taskLoad)
  const table = await opened.findTable(taskLoad.table)
  if (table === undefined) throw new Error(`The table "${taskLoad.table}" is gone after its load`)
  const task = { ...course.task, ...taskLoad.counts }
  course.task = await publishTask(parts, course.record, task, taskLoad, table)
}

async function openTarget(parts: ImporterParts, taskLoad: TaskLoad): Promise<VectorStore> {
  const store = await getStoreById(parts.database.kysely, taskLoad.storeId)
  return parts.catalog.openStore(store)
}

/** Takes away what a load that did not commit has left. */
async function sweep(parts: ImporterParts, taskLoad: TaskLoad): Promise<void> {
  const opened = await openTarget(parts, taskLoad)
  await opened.sweep(taskLoad.loadId)
  const { madeTable } = taskLoad
  if (madeTable !== undefined && (await opened.listTables()).includes(madeTable)) {
    await opened.dropTable(madeTable)
  }
}

async function isCommitted(parts: ImporterParts, taskLoad: TaskLoad): Promise<boolean> {
  if (taskLoad.token === undefined) return false
  const opened = await openTarget(parts, taskLoad)
  return (await opened.outcome(taskLoad.token)) === 'committed'
}

function warnNotSwept(parts: ImporterParts, { record, task }: Course, error: unknown): void {
  parts.log.warn({ err: error, importId: record.id, taskId: task.id }, 'a load was not swept')
}

/** Publishes a load that committed and then broke off, and removes what it had staged. */
async function publishCommitted(parts: ImporterParts, course: Course, taskLoad: TaskLoad): Promise<void> {
  await openTarget(parts, taskLoad)
    .then((opened) => opened.sweep(taskLoad.loadId))
    .catch((error: unknown) => warnNotSwept(parts, course, error))
  await publish(parts, course, taskLoad)
}

/** Ends what an earlier attempt left: publishes what was committed, sweeps what was not. True when that is all. */
async function finishEarlier(parts: ImporterParts, course: Course): Promise<boolean> {
  const taskLoad = course.task.run?.load
  if (course.task.state !== 'RUNNING' || taskLoad === undefined) return false
  if (await isCommitted(parts, taskLoad)) {
    await publishCommitted(parts, course, taskLoad)
    return true
  }
  await sweep(parts, taskLoad)
  return false
}

/** A GeoPackage takes one load at a time, a database one for each table. */
function lockOf({ store, table }: Target): string {
  return store.type === 'GeoPackage' ? `store ${store.id}` : `table ${store.id}/${table}`
}

async function loadAndPublish(parts: ImporterParts, course: Course, signal: AbortSignal): Promise<void> {
  const target = await findTarget(parts, course.record, course.task)
  const taskLoad: TaskLoad = {
    loadId: randomUUID(),
    storeId: target.store.id,
    table: target.table,
    layerName: target.layerName,
    isNewLayer: target.layer === undefined,
    ...(target.copyFrom === undefined ? {} : { madeTable: target.table }),
  }
  try {
    await save(parts, course, withLoad(course.task, taskLoad))
    const work = async (): Promise<void> => {
      await loadTask(parts, course, target, taskLoad, signal)
      await publish(parts, course, course.task.run?.load ?? taskLoad)
    }
    await parts.locks.hold(lockOf(target), work, signal)
  } catch (error) {
    await recover(parts, course, error)
  } finally {
    releaseTarget(parts, course.record, target)
  }
}

/** After a failure: a commit that happened all the same is published, everything else is swept and thrown on. */
async function recover(parts: ImporterParts, course: Course, error: unknown): Promise<void> {
  const taskLoad = course.task.run?.load
  if (taskLoad === undefined || course.task.state !== 'RUNNING') throw error
  const isDone = await isCommitted(parts, taskLoad).catch(() => false)
  if (isDone) {
    await publishCommitted(parts, course, taskLoad)
    return
  }
  await sweep(parts, taskLoad).catch((cause: unknown) => warnNotSwept(parts, course, cause))
  throw error
}

function isFinal(course: Course, jobId: number): boolean {
  return course.task.run?.jobId !== jobId
}

async function attempt(parts: ImporterParts, course: Course, signal: AbortSignal): Promise<void> {
  if (await finishEarlier(parts, course)) return
  const { run } = course.task
  const attempts = (run?.attempt ?? 0) + 1
  if (attempts > maxTaskAttempts) {
    await endInError(parts, course, `It was begun ${maxTaskAttempts} times and the server died each time`)
    return
  }
  const begun = await begin(parts, course, attempts, signal)
  if (!begun) return
  if (course.task.isDirect) course.task = await runDirect(parts, course.record, course.task)
  else await loadAndPublish(parts, course, signal)
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
  const started = taskAfter({ ...rest, messages: rest.source?.messages ?? [] }, { type: 'started' })
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
    await attempt(parts, course, work.signal)
  } catch (error) {
    if (job.signal.aborted) throw error
    course.task = await getTask(db, importId, taskId)
    if (isFinal(course, job.id)) return
    if (work.signal.reason instanceof LoadCanceled) {
      await save(parts, course, withoutRun(taskAfter(course.task, { type: 'canceled' })))
    } else {
      parts.log.info({ err: error, importId, taskId }, 'a task failed')
      await endInError(parts, course, explain(error))
    }
  } finally {
    work.end()
  }
}
