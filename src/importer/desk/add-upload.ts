import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { conflict } from '../../lib/errors.ts'
import { findInPath, findInUpload } from '../look/find-data.ts'
import type { FoundData } from '../look/unpack-data.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import {
  getImport,
  insertTask,
  makeUploadFolder,
  replaceGranules,
  saveImport,
  saveTaskAndTell,
  settleImport,
  uploadRoot,
} from '../records/records.ts'
import { lookAtData } from '../run/make-tasks.ts'

function refuseBusy(record: ImportRecord): void {
  if (record.state !== 'INIT' && record.state !== 'RUNNING') return
  throw conflict('import-busy', `Import ${record.id} is ${record.state}: upload when that has ended`)
}

/** The folder that an upload may be written to; throws `conflict` when the import takes none now. */
export async function openUpload(
  parts: ImporterParts,
  importId: number,
): Promise<{ upload: number; folder: string }> {
  return parts.locks.ofImport(importId, async () => {
    const record = await getImport(parts.database.kysely, importId)
    refuseBusy(record)
    const upload = record.nextUpload
    await saveImport(parts.database.kysely, { ...record, nextUpload: upload + 1 }, now(parts))
    return { upload, folder: await makeUploadFolder(parts, importId, upload) }
  })
}

async function keepTasks(
  parts: ImporterParts,
  importId: number,
  isUploaded: boolean,
  charset: string | undefined,
  found: FoundData,
  signal: AbortSignal,
): Promise<TaskRecord[]> {
  return parts.locks.ofImport(importId, async () => {
    const record = await getImport(parts.database.kysely, importId)
    refuseBusy(record)
    const {
      tasks,
      messages,
      granules = [],
      grown,
    } = await lookAtData(parts, record, found, {
      isUploaded,
      signal,
      ...(charset === undefined ? {} : { charset }),
    })
    return parts.database.transaction(async (db) => {
      for (const task of tasks) await insertTask(db, task)
      const saved = grown === undefined ? [] : [await saveTaskAndTell(parts, db, grown)]
      await replaceGranules(db, granules)
      await settleImport(parts, db, {
        ...record,
        nextTaskId: record.nextTaskId + tasks.length,
        folder: record.folder ?? found.folder,
        messages: [...record.messages, ...messages],
      })
      return [...saved, ...tasks]
    })
  })
}

/** Makes tasks of what was written to the folder of an upload; when it fails nothing of it is kept. */
export async function addUpload(
  parts: ImporterParts,
  importId: number,
  folder: string,
  options: { charset?: string; signal: AbortSignal },
): Promise<TaskRecord[]> {
  try {
    const root = uploadRoot(parts, importId)
    return await parts.running.duringRequest(importId, options.signal, async (signal) => {
      const found = await findInUpload(parts, folder, root, signal)
      return keepTasks(parts, importId, true, options.charset, found, signal)
    })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Makes tasks of a file, archive or folder in an import root; `path` has been checked. */
export async function addPath(
  parts: ImporterParts,
  importId: number,
  path: string,
  outer: AbortSignal,
): Promise<TaskRecord[]> {
  let unpacked: string | undefined
  const unpackFolder = async (): Promise<string> => {
    unpacked = (await openUpload(parts, importId)).folder
    return unpacked
  }
  try {
    const { source } = await getImport(parts.database.kysely, importId)
    const options = { unpackFolder, opensArchives: source?.type !== 'mosaic' }
    return await parts.running.duringRequest(importId, outer, async (signal) => {
      const found = await findInPath(parts, path, options, signal)
      const isUploaded = unpacked !== undefined && found.unpacked === undefined
      return keepTasks(parts, importId, isUploaded, undefined, found, signal)
    })
  } catch (error) {
    if (unpacked !== undefined) await rm(unpacked, { recursive: true, force: true })
    throw error
  }
}

/** Puts a file written elsewhere into an upload's folder under its own name. */
export async function placeFile(folder: string, written: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await rename(written, join(folder, basename(name)))
}
