import { findStoreDescription } from '../../stores/registry.ts'
import type { TableDescription, VectorStore } from '../../stores/store.ts'
import { openMoved, pointStore, removeMoved } from '../kinds/load/file-layer.ts'
import { removePlaced } from '../kinds/mosaic/place-granules.ts'
import { publishMosaic } from '../kinds/mosaic/publish-mosaic.ts'
import type { TaskLoad } from '../model/model.ts'
import { taskAfter } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { publishTask } from '../publish/publish.ts'
import { getImport, listTasksInState } from '../records/records.ts'
import type { Course } from './course.ts'
import { save } from './course.ts'

async function openTarget(parts: ImporterParts, taskLoad: TaskLoad): Promise<VectorStore> {
  if (taskLoad.movedTo !== undefined) return openMoved(taskLoad.movedTo)
  const store = await parts.catalog.stores.get(taskLoad.storeId)
  return parts.catalog.stores.open(store)
}

/** After the store's commit: the layer is published with what the table now holds, looked up unless it is given. */
export async function publishLoad(
  parts: ImporterParts,
  course: Course,
  taskLoad: TaskLoad,
  given?: TableDescription,
): Promise<void> {
  if (taskLoad.granuleFolder !== undefined) {
    await publishMosaic(parts, course, taskLoad)
    return
  }
  const table =
    given ?? (await openTarget(parts, taskLoad).then((opened) => opened.findTable(taskLoad.table)))
  if (table === undefined) throw new Error(`The table "${taskLoad.table}" is gone after its load`)
  const task = { ...course.task, ...taskLoad.counts }
  const { movedTo } = taskLoad
  if (movedTo === undefined) {
    course.task = await publishTask(parts, course.record, task, taskLoad, table)
    return
  }
  const from = await parts.catalog.stores.get(taskLoad.storeId)
  course.task = await publishTask(parts, course.record, task, taskLoad, table, (change) =>
    pointStore(change, taskLoad, movedTo),
  )
  await parts.catalog.stores.files
    .removeUnused(from.parameters.path ?? '')
    .then(() => parts.catalog.stores.files.removeUnusedIndex(from))
    .catch((error: unknown) => warn(parts, course, error, 'a file that is not used was not removed'))
}

/** Takes away what a load that did not commit has left. */
async function sweep(parts: ImporterParts, taskLoad: TaskLoad): Promise<void> {
  if (taskLoad.movedTo !== undefined) {
    await removeMoved(taskLoad.movedTo)
    return
  }
  const opened = await openTarget(parts, taskLoad)
  await opened.sweep(taskLoad.loadId)
  await removePlaced(taskLoad)
}

async function isCommitted(parts: ImporterParts, taskLoad: TaskLoad): Promise<boolean> {
  if (taskLoad.token === undefined) return false
  const opened = await openTarget(parts, taskLoad)
  return (await opened.outcome(taskLoad.token)) === 'committed'
}

function warn(parts: ImporterParts, { record, task }: Course, error: unknown, text: string): void {
  parts.log.warn({ err: error, importId: record.id, taskId: task.id }, text)
}

/** Publishes a load that committed and then broke off, and removes what it had staged. */
async function publishCommitted(parts: ImporterParts, course: Course, taskLoad: TaskLoad): Promise<void> {
  await openTarget(parts, taskLoad)
    .then((opened) => opened.sweep(taskLoad.loadId))
    .catch((error: unknown) => warn(parts, course, error, 'a load was not swept'))
  await publishLoad(parts, course, taskLoad)
}

/**
 * Ends a load that broke off: publishes what was committed, sweeps what was not. True when the task is done by that.
 * Where the store does not answer it throws, and the task remembers the load: loading again might load twice.
 */
export async function settleLoad(parts: ImporterParts, course: Course): Promise<boolean> {
  const taskLoad = course.task.run?.load
  if (course.task.state !== 'RUNNING' || taskLoad === undefined) return false
  course.isUnsettled = true
  const isDone = await isCommitted(parts, taskLoad)
  if (isDone) await publishCommitted(parts, course, taskLoad)
  else await sweep(parts, taskLoad)
  course.isUnsettled = false
  return isDone
}

/** As `settleLoad`, for a load that failed in this process: what it failed of is told, not what settling failed of. */
export async function settleAfterFailure(parts: ImporterParts, course: Course): Promise<boolean> {
  return settleLoad(parts, course).catch((error: unknown) => {
    warn(parts, course, error, 'how a load ended is not known')
    return false
  })
}

/** Takes up a load whose end was not known when its run ended. */
export async function resumeUnsettled(parts: ImporterParts, course: Course): Promise<void> {
  const { unsettled, errorMessage: _error, ...task } = course.task
  if (unsettled === undefined) return
  const run = { jobId: 0, attempt: 0, ...task.run, load: unsettled }
  await save(parts, course, { ...taskAfter(task, { type: 'started' }), run })
}

/**
 * Before any load begins: publishes what an earlier process committed, where the next load into a table would hide whether
 * the one before committed (a GeoPackage tells by a table's latest change).
 */
export async function publishEarlierCommits(parts: ImporterParts): Promise<void> {
  const db = parts.database.kysely
  for (const task of await listTasksInState(db, 'RUNNING')) {
    const taskLoad = task.run?.load
    if (taskLoad?.token === undefined || task.run === undefined) continue
    if (await parts.jobs.isHeldByOther(task.run.jobId)) continue
    const course: Course = { record: await getImport(db, task.importId), task }
    await publishIfCommitted(parts, course, taskLoad).catch((error: unknown) =>
      warn(parts, course, error, 'how a load ended is not known yet'),
    )
  }
}

async function publishIfCommitted(parts: ImporterParts, course: Course, taskLoad: TaskLoad): Promise<void> {
  const store = await parts.catalog.stores.get(taskLoad.storeId)
  const isHidden = findStoreDescription(store.type)?.can.outcomesLast === false
  if (!isHidden || !(await isCommitted(parts, taskLoad))) return
  await publishCommitted(parts, course, taskLoad)
}
