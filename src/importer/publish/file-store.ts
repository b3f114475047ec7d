import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { SingleFlight } from '../../core/concurrency/single-flight.ts'
import type { CopyHooks } from '../../core/files/copy-file.ts'
import { copyFile } from '../../core/files/copy-file.ts'
import { toFileName } from '../../core/text/free-name.ts'
import { toLayerName } from '../../core/text/layer-name.ts'
import type { DataFile } from '../../formats/worker.ts'
import type { ImportRecord } from '../model/model.ts'

/** Returns the folder of a store's file, the same for the same `origin`; does not create it. */
export function storeFolder(
  storesFolder: string,
  record: ImportRecord,
  { path, origin }: { path: string; origin: string },
): string {
  const name = toFileName(toLayerName(basename(path, extname(path))))
  const digest = createHash('sha256').update(origin).digest('hex')
  return join(storesFolder, toFileName(record.workspace), `${name}_${digest.slice(0, 12)}`)
}

/** Like `storeFolder`, for the copy of an uploaded file. */
export function copyFolder(
  folders: { stores: string; uploads: string },
  record: ImportRecord,
  { path }: DataFile,
): string {
  return storeFolder(folders.stores, record, { path, origin: relative(folders.uploads, path) })
}

/**
 * Creates a folder atomically: `fill` writes into a temporary one, which is renamed at the end. Returns the
 * path of the main file, whose name `fill` returns.
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

/** Copies a file with its sidecars to a folder; returns the name of the main file. */
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

/** Copies in progress: tasks of one import that read different layers of the same file wait for one copy. */
const copying = new SingleFlight<string, string>()

/** Returns the permanent copy of an uploaded file for layers; creates it if needed. */
export async function finalizeCopy(folder: string, file: DataFile, hooks: CopyHooks): Promise<string> {
  const path = join(folder, basename(file.path))
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  return copying.run(folder, async () =>
    isThere ? path : fillFolder(folder, (staging) => copyAll(file, staging, hooks)),
  )
}
