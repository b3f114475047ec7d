import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queryable } from '../../core/db/connection.ts'
import { explain, Failure } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import { giveFile } from '../../core/files/copy-file.ts'
import type { JobHandler } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import { defined, without } from '../../core/values/defined.ts'
import { leaveStuckWork, WorkLeft } from '../../core/workers/leave-stuck-work.ts'
import type { SourceLimits } from '../../inputs/index.ts'
import type { DataFiles, InspectDeps } from '../inspect/inspect.ts'
import { findInPath, findInUpload, findRemoteData } from '../inspect/inspect.ts'
import type { GranuleRecord, ImportEvent, ImportRecord, TaskRecord } from '../model/model.ts'
import { importAfter } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import {
  deleteTask,
  findImport,
  insertGranules,
  insertTask,
  listTaskStates,
  makeUploadFolder,
  placedFolder,
  removeUploadFolder,
  saveAndPublish,
  uploadRoot,
} from '../records/records.ts'
import type { RunningTable } from '../runtime/runtime.ts'
import { deafMs, publishEnded } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import type { MakeDeps } from './make-tasks.ts'
import { makeTasks } from './make-tasks.ts'
import type { StartDeps } from './start-run.ts'
import { startRun } from './start-run.ts'

export interface PrepareDeps {
  inspecting: InspectDeps
  making: MakeDeps
  starting: StartDeps
  running: RunningTable
  log: Logger
  events: EventBus
}

/** Returns undefined if uploads will provide the data. */
async function findData(
  inspecting: InspectDeps,
  kinds: TaskTypes,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<DataFiles | undefined> {
  const { source } = record
  if (source?.remote !== undefined && source.isOurs) {
    return findRemoteData(inspecting, record, source.remote, signal)
  }
  if (source === undefined) return undefined
  if (source.isOurs) return findPlaced(inspecting.folders, inspecting.limits, record, signal)
  const unpackFolder = () => makeUploadFolder(inspecting.folders, record.id, record.nextUpload)
  const { opensArchives } = kinds.ofSource(source).data
  return findInPath(inspecting, source.path, { unpackFolder, opensArchives }, signal)
}

/** Finds the files that the import was created from, which remain unchanged until its tasks are saved. */
async function findPlaced(
  folders: InspectDeps['folders'],
  limits: SourceLimits,
  { id, nextUpload }: ImportRecord,
  signal: AbortSignal,
): Promise<DataFiles | undefined> {
  const placed = placedFolder(folders, id)
  const names = await readdir(placed).catch(() => undefined)
  if (names === undefined) return undefined
  const folder = await makeUploadFolder(folders, id, nextUpload)
  for (const name of names) await giveFile(join(placed, name), join(folder, name))
  return findInUpload(limits, folder, uploadRoot(folders, id), signal)
}

async function end(records: Keeping, db: Queryable, record: ImportRecord, event: ImportEvent): Promise<void> {
  const rest = without(importAfter(record, event), 'jobId', 'message')
  await saveAndPublish(records, db, rest)
}

/** Sets the import to INIT_ERROR after a failed preparation and removes fetched data. */
export async function failPreparation(
  { records, folders }: { records: Keeping; folders: { uploads: string } },
  importId: number,
  message: string,
): Promise<void> {
  const db = records.database.kysely
  const record = await findImport(db, importId)
  if (record === undefined || record.state !== 'INIT') return
  await removeUploadFolder(folders, importId, record.nextUpload)
  const rest = without(importAfter(record, { type: 'prepare-failed' }), 'jobId')
  await saveAndPublish(records, db, { ...rest, message })
}

/** Saved result of inspecting the data; `changes` are changes to the import. */
interface Prepared {
  tasks: TaskRecord[]
  granules: GranuleRecord[]
  changes: Partial<ImportRecord>
}

/** Inspects the data of an import. */
async function inspectData(
  inspecting: InspectDeps,
  making: MakeDeps,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<Prepared> {
  return making.kinds.ofSource(record.source).data.isFiles
    ? inspectFiles(inspecting, making, record, signal)
    : inspectSource(making, record, signal)
}

/** Inspects data that are not files; the source gives their location. */
async function inspectSource(making: MakeDeps, record: ImportRecord, signal: AbortSignal): Promise<Prepared> {
  const nothing = { folder: '', files: [], messages: [] }
  const { tasks, messages, source } = await makeTasks(making, record, nothing, { isUploaded: false, signal })
  return { tasks, granules: [], changes: { messages, source } }
}

async function inspectFiles(
  inspecting: InspectDeps,
  making: MakeDeps,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<Prepared> {
  const found = await findData(inspecting, making.kinds, record, signal)
  if (found === undefined) {
    return { tasks: [], granules: [], changes: { folder: record.source?.path ?? '', messages: [] } }
  }
  const { uploads } = inspecting.folders
  const isUploaded = record.source !== undefined && found.folder.startsWith(`${uploads}/`)
  const { charset } = record.source ?? {}
  const options = { isUploaded, signal, charset }
  const { tasks, messages, granules = [] } = await makeTasks(making, record, found, options)
  const nextUpload = record.nextUpload + (isUploaded || found.unpacked !== undefined ? 1 : 0)
  return { tasks, granules, changes: { nextUpload, folder: found.folder, messages } }
}

async function prepare(
  inspecting: InspectDeps,
  making: MakeDeps,
  importId: number,
  isAsync: boolean,
  signal: AbortSignal,
): Promise<void> {
  const record = await findImport(making.records.database.kysely, importId)
  if (record === undefined || record.state !== 'INIT') return
  const { tasks, granules, changes } = await inspectData(inspecting, making, record, signal)
  const isReady =
    !isAsync &&
    record.store !== undefined &&
    tasks.length > 0 &&
    tasks.every((task) => task.state === 'READY')
  await making.records.database.transaction(async (db) => {
    for (const { id } of await listTaskStates(db, importId)) await deleteTask(db, importId, id)
    for (const task of tasks) await insertTask(db, task)
    await insertGranules(db, granules)
    const counted = { ...record, ...defined(changes), nextTaskId: record.nextTaskId + tasks.length }
    await end(making.records, db, counted, { type: 'prepared', isReady })
  })
  await rm(placedFolder(inspecting.folders, importId), { recursive: true, force: true })
}

/** Starts the run requested at creation. An import without runnable tasks is not changed. */
async function runWherePossible(starting: StartDeps, importId: number): Promise<void> {
  await startRun(starting, importId).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })
}

/** Job handler that fetches and scans the data of an import and creates its tasks. */
export function prepareHandler(deps: PrepareDeps): JobHandler {
  const fail = (importId: number, reason: string): Promise<void> =>
    failPreparation({ records: deps.making.records, folders: deps.inspecting.folders }, importId, reason)
  return {
    run: async (payload, { signal }) => {
      const importId = Number(payload.importId)
      const stop = deps.running.begin(importId, signal)
      try {
        const work = prepare(deps.inspecting, deps.making, importId, payload.isAsync === true, stop.signal)
        await leaveStuckWork(work, stop.signal, deafMs)
        if (payload.isRunAfter === true) await runWherePossible(deps.starting, importId)
      } catch (error) {
        if (error instanceof WorkLeft) publishEnded(deps, 'job', error)
        if (signal.aborted) throw error
        deps.log.info({ err: error, importId }, 'the data of an import cannot be read')
        await fail(importId, explain(error))
      } finally {
        stop.end()
      }
    },
    abandoned: (payload, reason) => fail(Number(payload.importId), reason),
  }
}
