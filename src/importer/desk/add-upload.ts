import { rm } from 'node:fs/promises'
import { defined } from '../../lib/defined.ts'
import { conflict } from '../../lib/errors.ts'
import type { ImportLocks, RunningTable } from '../live/live.ts'
import type { FoundData, LookNeeds } from '../look/look.ts'
import { findInPath, findInUpload } from '../look/look.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { now } from '../model/model.ts'
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
import type { MakeNeeds } from '../run/run.ts'
import { makeTasks } from '../run/run.ts'

export interface UploadNeeds {
  making: MakeNeeds
  look: LookNeeds
  locks: ImportLocks
  running: RunningTable
}

function refuseBusy(record: ImportRecord): void {
  if (record.state !== 'INIT' && record.state !== 'RUNNING') return
  throw conflict('import-busy', `Import ${record.id} is ${record.state}: upload when that has ended`)
}

/** Returns the upload folder of an import; throws `conflict` if the import accepts no uploads now. */
export async function openUpload(
  needs: UploadNeeds,
  importId: number,
): Promise<{ upload: number; folder: string }> {
  return needs.locks.ofImport(importId, async () => {
    const record = await getImport(needs.making.records.database.kysely, importId)
    refuseBusy(record)
    const upload = record.nextUpload
    await saveImport(
      needs.making.records.database.kysely,
      { ...record, nextUpload: upload + 1 },
      now(needs.making.records),
    )
    return { upload, folder: await makeUploadFolder(needs.look, importId, upload) }
  })
}

async function keepTasks(
  needs: UploadNeeds,
  importId: number,
  isUploaded: boolean,
  charset: string | undefined,
  found: FoundData,
  signal: AbortSignal,
): Promise<TaskRecord[]> {
  return needs.locks.ofImport(importId, async () => {
    const record = await getImport(needs.making.records.database.kysely, importId)
    refuseBusy(record)
    const {
      tasks,
      messages,
      granules = [],
      grown,
    } = await makeTasks(needs.making, record, found, { isUploaded, signal, ...defined({ charset }) })
    return needs.making.records.database.transaction(async (db) => {
      for (const task of tasks) await insertTask(db, task)
      const saved = grown === undefined ? [] : [await saveTaskAndTell(needs.making.records, db, grown)]
      await replaceGranules(db, granules)
      await settleImport(needs.making.records, db, {
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
  needs: UploadNeeds,
  importId: number,
  folder: string,
  options: { charset?: string; signal: AbortSignal },
): Promise<TaskRecord[]> {
  try {
    const root = uploadRoot(needs.look, importId)
    return await needs.running.duringRequest(importId, options.signal, async (signal) => {
      const found = await findInUpload(needs.look, folder, root, signal)
      return keepTasks(needs, importId, true, options.charset, found, signal)
    })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Creates tasks for a file, archive or folder in an import root; `path` must have been checked. */
export async function addPath(
  needs: UploadNeeds,
  importId: number,
  path: string,
  outer: AbortSignal,
): Promise<TaskRecord[]> {
  let unpacked: string | undefined
  const unpackFolder = async (): Promise<string> => {
    unpacked = (await openUpload(needs, importId)).folder
    return unpacked
  }
  try {
    const { source } = await getImport(needs.making.records.database.kysely, importId)
    const { opensArchives } = needs.making.kinds.ofSource(source).data
    const options = { unpackFolder, opensArchives }
    return await needs.running.duringRequest(importId, outer, async (signal) => {
      const found = await findInPath(needs.look, path, options, signal)
      const isUploaded = unpacked !== undefined && found.unpacked === undefined
      return keepTasks(needs, importId, isUploaded, undefined, found, signal)
    })
  } catch (error) {
    if (unpacked !== undefined) await rm(unpacked, { recursive: true, force: true })
    throw error
  }
}
