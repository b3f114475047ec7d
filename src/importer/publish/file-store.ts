import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import type { DataFile } from '../../formats/format.ts'
import { toLayerName } from '../../geo/names.ts'
import type { CopyHooks } from '../../lib/files/copy-file.ts'
import { copyFile } from '../../lib/files/copy-file.ts'
import { toFileName } from '../../lib/text/free-name.ts'
import type { ImportRecord } from '../model/model.ts'

/** A folder for a store's file, always the same for the same `origin`; not made yet. */
export function storeFolder(
  storesFolder: string,
  record: ImportRecord,
  { path, origin }: { path: string; origin: string },
): string {
  const name = toFileName(toLayerName(basename(path, extname(path))))
  const digest = createHash('sha256').update(origin).digest('hex')
  return join(storesFolder, toFileName(record.workspace), `${name}_${digest.slice(0, 12)}`)
}

/** As `storeFolder`, for the copy of an uploaded file. */
export function copyFolder(
  folders: { stores: string; uploads: string },
  record: ImportRecord,
  { path }: DataFile,
): string {
  return storeFolder(folders.stores, record, { path, origin: relative(folders.uploads, path) })
}

/**
 * Makes a folder that is whole or not there: `fill` writes into another, which takes its name at the end. Gives the
 * path of the main file, whose name `fill` gives.
 */
export async function fillFolder(
  folder: string,
  fill: (staging: string) => Promise<string>,
): Promise<string> {
  const staging = `${folder}.part`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  try {
    const main = await fill(staging)
    await rm(folder, { recursive: true, force: true })
    await rename(staging, folder)
    return join(folder, main)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    throw error
  }
}

/** Copies a file with its sidecars into a folder; gives the name of the main file. */
export async function copyAll(file: DataFile, folder: string, hooks: CopyHooks): Promise<string> {
  const main = basename(file.path)
  const base = basename(file.path, extname(file.path))
  await copyFile(file.path, join(folder, main), hooks)
  for (const [extension, path] of Object.entries(file.sidecars)) {
    const name = basename(path).toLowerCase().startsWith(`${base.toLowerCase()}.`)
      ? basename(path)
      : `${base}.${extension}`
    await copyFile(path, join(folder, name), hooks)
  }
  return main
}

/** Copies under way: tasks of one import that read the same file, each a layer of it, wait for one copy. */
const copying = new Map<string, Promise<string>>()

/** The copy of an uploaded file that layers may read for good; made where it is not there yet. */
export async function settleCopy(folder: string, file: DataFile, hooks: CopyHooks): Promise<string> {
  const path = join(folder, basename(file.path))
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  const copy =
    copying.get(folder) ??
    (isThere ? Promise.resolve(path) : fillFolder(folder, (staging) => copyAll(file, staging, hooks)))
  copying.set(folder, copy)
  try {
    return await copy
  } finally {
    copying.delete(folder)
  }
}
