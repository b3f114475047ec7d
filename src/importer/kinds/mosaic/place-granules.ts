import { existsSync } from 'node:fs'
import { link, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { invalid } from '../../../lib/errors.ts'
import { copyFile } from '../../../lib/files/copy-file.ts'
import type { GranuleRecord, TaskLoad } from '../../model/model.ts'

export interface PlaceHooks {
  signal: AbortSignal
  onGranule(done: number): void
}

/** The same file under another name; a copy where the file system has no links, or is another one. */
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

/** The folder that a load's granules stand in, where they were uploaded. */
export function loadFolder({ granuleFolder = '', loadId }: TaskLoad): string {
  return join(granuleFolder, loadId)
}

/** Puts granules of uploads where a layer may read them for good: all of them or none. */
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

/** Throws `Failure` (`invalid`) that names the first granule which is not where it was found. */
export async function requireFiles(granules: GranuleRecord[], signal: AbortSignal): Promise<void> {
  for (const { file, fileId } of granules) {
    signal.throwIfAborted()
    if ((await stat(file.path).catch(() => undefined))?.isFile() === true) continue
    throw invalid(
      'granule-gone',
      `"${fileId}" is not there any more: delete it from the data, or put it back`,
    )
  }
}

/** Removes what a load put into our folder, where it was not committed. */
export async function removePlaced(load: TaskLoad): Promise<void> {
  const { granuleFolder } = load
  if (granuleFolder === undefined) return
  const folder = loadFolder(load)
  for (const one of [folder, `${folder}.part`]) await rm(one, { recursive: true, force: true })
  await rmdir(granuleFolder).catch(() => undefined)
}

/** Removes what earlier loads put into our folder, after a REPLACE. */
export async function removeOthers(load: TaskLoad): Promise<void> {
  const { granuleFolder, loadId } = load
  if (granuleFolder === undefined) return
  for (const entry of await readdir(granuleFolder).catch(() => [])) {
    if (entry !== loadId) await rm(join(granuleFolder, entry), { recursive: true, force: true })
  }
}
