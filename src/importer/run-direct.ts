import { createHash } from 'node:crypto'
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import type { StoreRecord } from '../catalog/records.ts'
import { findStore, getStoreById, insertStore, listStores } from '../catalog/stores.ts'
import type { Queryable } from '../db/connection.ts'
import type { DataFile } from '../formats/format.ts'
import { freeName, toLayerName } from '../geo/names.ts'
import type { StoreParameters, StoreType } from '../stores/store.ts'
import { storeTypes } from '../stores/store.ts'
import type { ImporterParts } from './parts.ts'
import { now } from './parts.ts'
import { publishTask } from './publish.ts'
import type { ImportRecord, TaskRecord } from './records.ts'

async function copyAll(file: DataFile, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const base = basename(file.path, extname(file.path))
  await copyFile(file.path, join(folder, basename(file.path)))
  for (const [extension, path] of Object.entries(file.sidecars)) {
    const name = basename(path).toLowerCase().startsWith(`${base.toLowerCase()}.`)
      ? basename(path)
      : `${base}.${extension}`
    await copyFile(path, join(folder, name))
  }
}

/** Copies under way: tasks of one import that read the same file, each a layer of it, wait for one copy. */
const copying = new Map<string, Promise<string>>()

/** The file where the layer may read it for good: an uploaded one is copied, whole or not at all. */
async function settleFile(parts: ImporterParts, record: ImportRecord, task: TaskRecord, file: DataFile) {
  if (!task.isUploaded) return file.path
  const name = toLayerName(basename(file.path, extname(file.path)))
  const digest = createHash('sha256').update(relative(parts.folders.uploads, file.path)).digest('hex')
  const folder = join(parts.folders.stores, record.workspace, `${name}_${digest.slice(0, 12)}`)
  const copy = copying.get(folder) ?? copyInto(folder, file)
  copying.set(folder, copy)
  try {
    return await copy
  } finally {
    copying.delete(folder)
  }
}

async function copyInto(folder: string, file: DataFile): Promise<string> {
  const path = join(folder, basename(file.path))
  if ((await stat(path).catch(() => undefined)) !== undefined) return path
  const staging = `${folder}.part`
  await rm(staging, { recursive: true, force: true })
  await copyAll(file, staging)
  await rm(folder, { recursive: true, force: true })
  await rename(staging, folder)
  return path
}

async function findStoreOver(db: Queryable, workspace: string, type: StoreType, path: string) {
  const stores = await listStores(db, workspace)
  return stores.find((store) => store.type === type && store.parameters.path === path)
}

async function makeStore(
  db: Queryable,
  workspace: string,
  wanted: { type: StoreType; path: string; parameters: StoreParameters; at: string },
): Promise<StoreRecord> {
  const known = await findStoreOver(db, workspace, wanted.type, wanted.path)
  if (known !== undefined) return known
  const taken = new Set((await listStores(db, workspace)).map((store) => store.name))
  const base = toLayerName(basename(wanted.path, extname(wanted.path)))
  const name = freeName(base, (one) => taken.has(one))
  const id = await insertStore(
    db,
    { workspace, name, at: wanted.at },
    {
      kind: 'dataStore',
      type: wanted.type,
      isEnabled: true,
      isDefault: false,
      parameters: wanted.parameters,
      secretNames: [],
      sealed: '',
      description: undefined,
    },
  )
  return (await findStore(db, workspace, name)) ?? getStoreById(db, id)
}

/** Registers the task's file as a store and its layer as a published one; the rows stay where they are. */
export async function runDirect(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
): Promise<TaskRecord> {
  const [file] = task.files
  const { source, layer } = task
  const type = storeTypes.find((one) => one === task.format)
  if (file === undefined || source === undefined || layer === undefined || type === undefined) {
    throw new Error(`Task ${task.id} has no file that can be served as it is`)
  }
  const path = await settleFile(parts, record, task, file)
  const parameters: StoreParameters = {
    path,
    ...(type === 'GeoPackage' && !task.isUploaded ? { read_only: 'true' } : {}),
    ...(task.charset === undefined ? {} : { charset: task.charset }),
  }
  const place = { storeId: 0, table: source.name, layerName: layer.name, isNewLayer: true }
  return publishTask(parts, record, task, place, source, (db) =>
    makeStore(db, record.workspace, { type, path, parameters, at: now(parts) }),
  )
}
