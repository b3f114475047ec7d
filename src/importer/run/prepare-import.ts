import type { Queryable } from '../../db/connection.ts'
import type { JobHandler } from '../../jobs/jobs.ts'
import { explain, Failure } from '../../lib/errors.ts'
import { leaveDeaf, WorkLeft } from '../../lib/workers/leave-deaf.ts'
import { lookAtDatabase } from '../kinds/table/look-at-database.ts'
import { deafMs, tellEnded } from '../live/live.ts'
import { findInPath } from '../look/find-data.ts'
import { findRemoteData } from '../look/remote-data.ts'
import type { FoundData } from '../look/unpack-data.ts'
import type { GranuleRecord, ImportEvent, ImportRecord, TaskRecord } from '../model/model.ts'
import { importAfter } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import {
  deleteTask,
  findImport,
  insertGranules,
  insertTask,
  listTaskStates,
  makeUploadFolder,
  removeUpload,
  saveAndTell,
} from '../records/records.ts'
import { lookAtData } from './make-tasks.ts'
import { startRun } from './start-run.ts'

/** Undefined where uploads will bring the data. */
async function findData(
  parts: ImporterParts,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<FoundData | undefined> {
  const { source } = record
  if (source?.remote !== undefined && source.isOurs) {
    return findRemoteData(parts, record, source.remote, signal)
  }
  if (source === undefined || source.isOurs) return undefined
  const unpackFolder = () => makeUploadFolder(parts, record.id, record.nextUpload)
  const opensArchives = source.type !== 'mosaic'
  return findInPath(parts, source.path, { unpackFolder, opensArchives }, signal)
}

async function end(
  parts: ImporterParts,
  db: Queryable,
  record: ImportRecord,
  event: ImportEvent,
): Promise<void> {
  const { jobId: _jobId, message: _message, ...rest } = importAfter(record, event)
  await saveAndTell(parts, db, rest)
}

/** Ends a preparation in INIT_ERROR; nothing that was fetched is kept. */
export async function failPreparation(
  parts: ImporterParts,
  importId: number,
  message: string,
): Promise<void> {
  const db = parts.database.kysely
  const record = await findImport(db, importId)
  if (record === undefined || record.state !== 'INIT') return
  await removeUpload(parts, importId, record.nextUpload)
  const { jobId: _jobId, ...rest } = importAfter(record, { type: 'prepare-failed' })
  await saveAndTell(parts, db, { ...rest, message })
}

/** What is saved of a look at the data; `changes` are the import's. */
interface Prepared {
  tasks: TaskRecord[]
  granules: GranuleRecord[]
  changes: Partial<ImportRecord>
}

async function look(parts: ImporterParts, record: ImportRecord, signal: AbortSignal): Promise<Prepared> {
  const { source } = record
  if (source?.database === undefined) return lookAtFiles(parts, record, signal)
  const { tasks, messages, tables } = await lookAtDatabase(parts, record, source.database, signal)
  const database = { ...source.database, tables }
  return { tasks, granules: [], changes: { messages, source: { ...source, database } } }
}

async function lookAtFiles(
  parts: ImporterParts,
  record: ImportRecord,
  signal: AbortSignal,
): Promise<Prepared> {
  const found = await findData(parts, record, signal)
  if (found === undefined) {
    return { tasks: [], granules: [], changes: { folder: record.source?.path ?? '', messages: [] } }
  }
  const isUnpacked = record.source !== undefined && found.folder.startsWith(`${parts.folders.uploads}/`)
  const { charset } = record.source ?? {}
  const {
    tasks,
    messages,
    granules = [],
  } = await lookAtData(parts, record, found, {
    isUploaded: isUnpacked,
    signal,
    ...(charset === undefined ? {} : { charset }),
  })
  const nextUpload = record.nextUpload + (isUnpacked || found.unpacked !== undefined ? 1 : 0)
  return { tasks, granules, changes: { nextUpload, folder: found.folder, messages } }
}

async function prepare(
  parts: ImporterParts,
  importId: number,
  isAsync: boolean,
  signal: AbortSignal,
): Promise<void> {
  const record = await findImport(parts.database.kysely, importId)
  if (record === undefined || record.state !== 'INIT') return
  const { tasks, granules, changes } = await look(parts, record, signal)
  const isReady =
    !isAsync &&
    record.store !== undefined &&
    tasks.length > 0 &&
    tasks.every((task) => task.state === 'READY')
  await parts.database.transaction(async (db) => {
    for (const { id } of await listTaskStates(db, importId)) await deleteTask(db, importId, id)
    for (const task of tasks) await insertTask(db, task)
    await insertGranules(db, granules)
    const counted = { ...record, ...changes, nextTaskId: record.nextTaskId + tasks.length }
    await end(parts, db, counted, { type: 'prepared', isReady })
  })
}

/** Starts the run that was asked for at creation; an import without anything to run stays as it is. */
async function runWherePossible(parts: ImporterParts, importId: number): Promise<void> {
  await startRun(parts, importId).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
  })
}

/** Fetches and scans an import's data and makes its tasks. */
export function prepareHandler(parts: ImporterParts): JobHandler {
  return {
    run: async (payload, { signal }) => {
      const importId = Number(payload.importId)
      const stop = parts.running.begin(importId, signal)
      try {
        const work = prepare(parts, importId, payload.isAsync === true, stop.signal)
        await leaveDeaf(work, stop.signal, deafMs)
        if (payload.isRunAfter === true) await runWherePossible(parts, importId)
      } catch (error) {
        if (error instanceof WorkLeft) tellEnded(parts, 'job', error)
        if (signal.aborted) throw error
        parts.log.info({ err: error, importId }, 'the data of an import cannot be read')
        await failPreparation(parts, importId, explain(error))
      } finally {
        stop.end()
      }
    },
    abandoned: (payload, reason) => failPreparation(parts, Number(payload.importId), reason),
  }
}
