import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import { isFolderDataset, withoutFolderEnding } from '../../formats/index.ts'
import type { FormatMessage } from '../../formats/worker.ts'
import {
  findArchive,
  type SourceLimits,
  scanFile,
  scanFolder,
  withoutArchiveEnding,
} from '../../inputs/index.ts'
import type { FolderOptions } from './find-in-folder.ts'
import { findInFolder } from './find-in-folder.ts'
import type { DataFiles, InspectDeps } from './unpack-data.ts'
import { findInArchive, freePath, liftOnlyFile } from './unpack-data.ts'

/** Scans a file, an archive or a folder of the operator. */
export async function findInPath(
  deps: InspectDeps,
  path: string,
  options: FolderOptions,
  signal: AbortSignal,
): Promise<DataFiles> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) throw invalid('no-such-file', `File or folder "${path}" does not exist`)
  if (status.isDirectory() && !isFolderDataset(path)) return findInFolder(deps, path, options, signal)
  if (findArchive(path) === undefined) {
    return { folder: dirname(path), files: [await scanFile(path, signal)], messages: [] }
  }
  const folder = await options.unpackFolder()
  return { ...(await findInArchive(deps.limits, path, folder, signal)), folder: dirname(folder) }
}

/** Unpacks an archive of an upload in place; removes the archive. */
async function unpackInPlace(
  limits: SourceLimits,
  path: string,
  isAlone: boolean,
  signal: AbortSignal,
): Promise<FormatMessage[]> {
  const [folder, name] = [dirname(path), basename(path)]
  const archive = `${folder}.archive`
  await rename(path, archive)
  try {
    const base = withoutFolderEnding(withoutArchiveEnding(name))
    const unpacked = isAlone ? folder : freePath(folder, base)
    const { messages } = await findInArchive(limits, archive, unpacked, signal, name)
    if (!isAlone) await liftOnlyFile(unpacked)
    return messages
  } finally {
    await rm(archive)
  }
}

/** Scans the files of one upload, including unpacked archives. */
export async function findInUpload(
  limits: SourceLimits,
  folder: string,
  root: string,
  signal: AbortSignal,
): Promise<DataFiles> {
  const scan = () => scanFolder(folder, { signal, maxEntries: limits.maxEntries })
  const first = await scan()
  const archives = first.filter(({ path }) => findArchive(path) !== undefined)
  const messages: FormatMessage[] = []
  for (const { path } of archives) {
    messages.push(...(await unpackInPlace(limits, path, first.length === 1, signal)))
  }
  const files = archives.length === 0 ? first : await scan()
  return { folder: root, files: files.filter(({ path }) => findArchive(path) === undefined), messages }
}
