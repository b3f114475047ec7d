import { existsSync } from 'node:fs'
import { link, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { invalid } from '../../../core/errors/errors.ts'
import { copyFile } from '../../../core/files/copy-file.ts'
import type { GranuleRecord, TaskLoad } from '../../model/model.ts'

export interface PlaceHooks {
  signal: AbortSignal
  onGranule(done: number): void
}

/** Creates a hard link, or a copy if the file system does not support links or differs. */
async function linkOrCopy(from: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    await copyFile(from, to, { signal })
  }
}

async function placeOne(folder: string, granule: GranuleRecord, signal: AbortSignal): Promise<void> {
  const { file, fileId } = granule
  const target = join(folder, fileId)
  await mkdir(dirname(target), { recursive: true })
  await linkOrCopy(file.path, target, signal)
  for (const path of Object.values(file.sidecars)) {
    const beside = join(dirname(target), basename(path))
    if (!existsSync(beside)) await linkOrCopy(path, beside, signal)
  }
}

/** Returns the folder of uploaded granules of a load. */
export function loadFolder({ granuleFolder = '', loadId }: TaskLoad): string {
  return join(granuleFolder, loadId)
}

/** Moves uploaded granules to where layers may read them permanently: all of them or none. */
export async function placeGranules(
  load: TaskLoad,
  granules: GranuleRecord[],
  { signal, onGranule }: PlaceHooks,
): Promise<void> {
  const folder = loadFolder(load)
  const staging = `${folder}.part`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  for (const [index, granule] of granules.entries()) {
    signal.throwIfAborted()
    await placeOne(staging, granule, signal)
    onGranule(index + 1)
  }
  await rename(staging, folder)
}

/** Throws a `Failure` (`invalid`) that names the first missing granule. */
export async function requireFiles(granules: GranuleRecord[], signal: AbortSignal): Promise<void> {
  for (const { file, fileId } of granules) {
    signal.throwIfAborted()
    if ((await stat(file.path).catch(() => undefined))?.isFile() === true) continue
    throw invalid(
      'granule-gone',
      `"${fileId}" no longer exists: delete it from the data, or restore the file`,
    )
  }
}

/** Removes files that an uncommitted load put into the server's folder. */
export async function removePlaced(load: TaskLoad): Promise<void> {
  const { granuleFolder } = load
  if (granuleFolder === undefined) return
  const folder = loadFolder(load)
  for (const one of [folder, `${folder}.part`]) await rm(one, { recursive: true, force: true })
  await rmdir(granuleFolder).catch(() => undefined)
}

/** Prefix of the file next to the granules that lists what a REPLACE has made obsolete. */
const noteName = 'replaced-by-'

function isNote(entry: string): boolean {
  return entry.startsWith(noteName)
}

function listEntries(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

/**
 * Records what a REPLACE makes obsolete, after the index is committed and before the layer is published: if
 * the process dies before removing it, `removeReplaced` does.
 */
export async function noteReplaced({ granuleFolder, loadId }: TaskLoad): Promise<void> {
  if (granuleFolder === undefined) return
  const earlier = (await listEntries(granuleFolder)).filter((entry) => entry !== loadId && !isNote(entry))
  if (earlier.length === 0) return
  await writeFile(join(granuleFolder, noteName + loadId), JSON.stringify(earlier), { flush: true })
}

/** Removes files that earlier loads put into the server's folder, after a REPLACE. */
export async function removeOthers({ granuleFolder, loadId }: TaskLoad): Promise<void> {
  if (granuleFolder === undefined) return
  const others = (await listEntries(granuleFolder)).filter((entry) => entry !== loadId)
  // Removes the files with lists of replaced granules last.
  for (const entry of others.sort((a, b) => Number(isNote(a)) - Number(isNote(b))))
    await rm(join(granuleFolder, entry), { recursive: true, force: true })
}

/** Removes files recorded as replaced from a mosaic's folder, and nothing of later loads. */
export async function removeReplaced(granuleFolder: string): Promise<void> {
  const entries = await listEntries(granuleFolder)
  for (const note of entries.filter(isNote)) {
    const path = join(granuleFolder, note)
    const replaced: unknown = JSON.parse(await readFile(path, 'utf8'))
    for (const entry of entries.filter((one) => Array.isArray(replaced) && replaced.includes(one)))
      await rm(join(granuleFolder, entry), { recursive: true, force: true })
    await rm(path, { force: true })
  }
}
