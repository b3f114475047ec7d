import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Vault } from '../../core/secrets/vault.ts'
import { freeName } from '../../core/text/free-name.ts'
import { isFolderContent } from '../../formats/index.ts'
import type { DataFile, FormatMessage } from '../../formats/worker.ts'
import {
  extractArchive,
  findArchive,
  type RemoteAccess,
  type SourceLimits,
  scanFolder,
  type Unpacked,
  withoutArchiveEnding,
} from '../../inputs/index.ts'
import type { ProgressBoard } from '../runtime/runtime.ts'

/** Main files to inspect and their folder. */
export interface DataFiles {
  folder: string
  files: DataFile[]
  messages: FormatMessage[]
  /** A server folder to which archives in `folder` were unpacked; the server may delete it. */
  unpacked?: string
  /** Archives among them that were not unpacked; if there is nothing else, they are unreadable files. */
  archives?: DataFile[]
}

/** Converts archives among the files to messages. */
export function withoutArchives(folder: string, files: DataFile[], code: string, why: string): DataFiles {
  const isArchive = ({ path }: DataFile): boolean => findArchive(path) !== undefined
  const archives = files.filter(isArchive)
  const messages = archives.map(
    ({ path }): FormatMessage => ({ level: 'warning', code, message: `"${relative(folder, path)}" ${why}` }),
  )
  return { folder, files: files.filter((file) => !isArchive(file)), messages, archives }
}

/**
 * Renames the folder if the archive contains the files of a folder dataset without the folder itself; the
 * name of the archive then gives the dataset name.
 */
async function nameFolderDataset(folder: string, name: string): Promise<void> {
  if (!existsSync(folder) || !isFolderContent(name, await readdir(folder))) return
  await rename(folder, `${folder}.part`)
  await mkdir(folder)
  await rename(`${folder}.part`, join(folder, name))
}

/** Unpacks an archive into a folder and scans it; `name` is the file name that users know. */
export async function findInArchive(
  limits: SourceLimits,
  archive: string,
  folder: string,
  signal: AbortSignal,
  name = basename(archive),
  before?: Unpacked,
): Promise<DataFiles & { taken: Unpacked }> {
  const earlier = before === undefined ? {} : { before }
  const taken = await extractArchive(archive, folder, { limits, signal, name, ...earlier })
  await nameFolderDataset(folder, withoutArchiveEnding(name))
  const files = existsSync(folder) ? await scanFolder(folder, { signal, maxEntries: limits.maxEntries }) : []
  const why = `is an archive inside an archive and was not opened: unpack "${name}" and upload it by itself`
  return { ...withoutArchives(folder, files, 'archive-in-archive', why), taken }
}

/** Returns an unused name in a folder: `name`, or `name` with 0, 1, 2, ... appended. */
export function freePath(folder: string, name: string): string {
  return freeName(name, existsSync, { fit: (stem, suffix) => join(folder, stem + suffix) })
}

/**
 * Replaces a folder by its only file if both have the same name, since the files of a dataset may be packed
 * individually. Returns true in that case.
 */
export async function liftOnlyFile(folder: string): Promise<boolean> {
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : []
  const [only] = entries
  if (entries.length !== 1 || only?.isFile() !== true || only.name !== basename(folder)) return false
  const aside = freePath(dirname(folder), `.${only.name}`)
  await rename(join(folder, only.name), aside)
  await rmdir(folder)
  await rename(aside, folder)
  return true
}

/** Dependencies for finding data. */
export interface InspectDeps {
  /** Folders whose files imports may use. */
  roots: readonly string[]
  folders: { uploads: string }
  limits: SourceLimits
  /** Settings for fetching remote data. */
  remote: RemoteAccess
  vault: Vault
  progress: ProgressBoard
}
