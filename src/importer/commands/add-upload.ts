import { rm } from 'node:fs/promises'
import { conflict } from '../../core/errors/errors.ts'
import type { DataFiles, InspectDeps } from '../inspect/inspect.ts'
import { findInPath, findInUpload } from '../inspect/inspect.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import {
  finalizeImport,
  getImport,
  insertTask,
  makeUploadFolder,
  replaceGranules,
  saveImport,
  saveTaskAndPublish,
  uploadRoot,
} from '../records/records.ts'
import type { MakeDeps } from '../run/run.ts'
import { makeTasks } from '../run/run.ts'
import type { ImportLocks, RunningTable } from '../runtime/runtime.ts'

export interface AddUploadDeps {
  making: MakeDeps
  inspecting: InspectDeps
  locks: ImportLocks
  running: RunningTable
}

function refuseBusy(record: ImportRecord): void {
  if (record.state !== 'INIT' && record.state !== 'RUNNING') return
  throw conflict('import-busy', `Import ${record.id} is ${record.state}: upload files when its run has ended`)
}

/** Returns the upload folder of an import; throws `conflict` if the import accepts no uploads now. */
export async function openUpload(
  { making, inspecting, locks }: AddUploadDeps,
  importId: number,
): Promise<{ upload: number; folder: string }> {
  return locks.ofImport(importId, async () => {
    const record = await getImport(making.records.database.kysely, importId)
    refuseBusy(record)
    const upload = record.nextUpload
    await saveImport(
      making.records.database.kysely,
      { ...record, nextUpload: upload + 1 },
      now(making.records),
    )
    return { upload, folder: await makeUploadFolder(inspecting.folders, importId, upload) }
  })
}

async function keepTasks(
  deps: AddUploadDeps,
  importId: number,
  isUploaded: boolean,
  charset: string | undefined,
  found: DataFiles,
  signal: AbortSignal,
): Promise<TaskRecord[]> {
  return deps.locks.ofImport(importId, async () => {
    const record = await getImport(deps.making.records.database.kysely, importId)
    refuseBusy(record)
    const {
      tasks,
      messages,
      granules = [],
      grown,
    } = await makeTasks(deps.making, record, found, { isUploaded, signal, charset })
    return deps.making.records.database.transaction(async (db) => {
      for (const task of tasks) await insertTask(db, task)
      const saved = grown === undefined ? [] : [await saveTaskAndPublish(deps.making.records, db, grown)]
      await replaceGranules(db, granules)
      await finalizeImport(deps.making.records, db, {
        ...record,
        nextTaskId: record.nextTaskId + tasks.length,
        folder: record.folder ?? found.folder,
        messages: [...record.messages, ...messages],
      })
      return [...saved, ...tasks]
    })
  })
}

/** Creates tasks for the files written to an upload folder. On failure the upload is removed entirely. */
export async function addUpload(
  deps: AddUploadDeps,
  importId: number,
  folder: string,
  options: { charset?: string; signal: AbortSignal },
): Promise<TaskRecord[]> {
  try {
    const root = uploadRoot(deps.inspecting.folders, importId)
    return await deps.running.duringRequest(importId, options.signal, async (signal) => {
      const found = await findInUpload(deps.inspecting.limits, folder, root, signal)
      return keepTasks(deps, importId, true, options.charset, found, signal)
    })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Creates tasks for a file, archive or folder in an import root; `path` must have been checked. */
export async function addPath(
  deps: AddUploadDeps,
  importId: number,
  path: string,
  outer: AbortSignal,
): Promise<TaskRecord[]> {
  let unpacked: string | undefined
  const unpackFolder = async (): Promise<string> => {
    unpacked = (await openUpload(deps, importId)).folder
    return unpacked
  }
  try {
    const { source } = await getImport(deps.making.records.database.kysely, importId)
    const { opensArchives } = deps.making.kinds.ofSource(source).data
    const options = { unpackFolder, opensArchives }
    return await deps.running.duringRequest(importId, outer, async (signal) => {
      const found = await findInPath(deps.inspecting, path, options, signal)
      const isUploaded = unpacked !== undefined && found.unpacked === undefined
      return keepTasks(deps, importId, isUploaded, undefined, found, signal)
    })
  } catch (error) {
    if (unpacked !== undefined) await rm(unpacked, { recursive: true, force: true })
    throw error
  }
}
