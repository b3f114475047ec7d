import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { DataFile, Message } from '../formats/format.ts'
import { invalid } from '../lib/errors.ts'
import { freeName } from '../lib/free-name.ts'
import { extractArchive, findArchive, withoutArchiveEnding } from '../sources/archive.ts'
import { isInside } from '../sources/path-guard.ts'
import { scanFile, scanFolder } from '../sources/scan.ts'
import type { ImporterParts } from './parts.ts'

/** Main files to look at and the folder they lie in. */
export interface FoundData {
  folder: string
  files: DataFile[]
  messages: Message[]
  /** Archives among them that were not opened; where there is nothing else, they are what nothing reads. */
  archives?: DataFile[]
}

/** The archives among files become messages. */
function withoutArchives(folder: string, files: DataFile[], code: string, why: string): FoundData {
  const isArchive = ({ path }: DataFile): boolean => findArchive(path) !== undefined
  const archives = files.filter(isArchive)
  const messages = archives.map(
    ({ path }): Message => ({
      level: 'warning',
      code,
      message: `"${relative(folder, path)}" ${why}`,
    }),
  )
  return { folder, files: files.filter((file) => !isArchive(file)), messages, archives }
}

/** A File Geodatabase is a folder; an archive `x.gdb.zip` may hold its tables without that folder. */
async function nameFolderDataset(folder: string, name: string): Promise<void> {
  if (!/\.gdb$/i.test(name) || !existsSync(folder)) return
  const entries = await readdir(folder)
  if (!entries.some((entry) => /\.gdbtable$/i.test(entry))) return
  await rename(folder, `${folder}.part`)
  await mkdir(folder)
  await rename(`${folder}.part`, join(folder, name))
}

/** Unpacks an archive into a folder of ours and scans it; `name` is the one that people know it by. */
export async function findInArchive(
  parts: ImporterParts,
  archive: string,
  folder: string,
  signal: AbortSignal,
  name = basename(archive),
): Promise<FoundData> {
  await extractArchive(archive, folder, { limits: parts.limits, signal, name })
  await nameFolderDataset(folder, withoutArchiveEnding(name))
  const files = existsSync(folder)
    ? await scanFolder(folder, { signal, maxEntries: parts.limits.maxEntries })
    : []
  const why = `is an archive inside an archive and was not opened: unpack "${name}" and upload it by itself`
  return withoutArchives(folder, files, 'archive-in-archive', why)
}

/** Scans a file, an archive or a folder of the operator's. */
export async function findInPath(
  parts: ImporterParts,
  path: string,
  unpackFolder: () => Promise<string>,
  signal: AbortSignal,
): Promise<FoundData> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) throw invalid('no-such-file', `There is no file or folder "${path}"`)
  if (status.isDirectory() && !/\.gdb$/i.test(path)) {
    const isAllowed = (real: string) => isInside(parts.roots, real)
    const files = await scanFolder(path, { signal, maxEntries: parts.limits.maxEntries, isAllowed })
    const why = 'is an archive in a folder and was not opened: import it by itself'
    return withoutArchives(path, files, 'archive-in-folder', why)
  }
  if (findArchive(path) === undefined) {
    return { folder: dirname(path), files: [await scanFile(path, signal)], messages: [] }
  }
  const folder = await unpackFolder()
  return { ...(await findInArchive(parts, path, folder, signal)), folder: dirname(folder) }
}

/** A name in a folder that nothing has: `name`, or with 0, 1, 2, ... behind it. */
function freePath(folder: string, name: string): string {
  return freeName(name, existsSync, { fit: (stem, suffix) => join(folder, stem + suffix) })
}

/** What holds one file of the folder's name becomes that file: parts of a dataset may be packed one by one. */
async function liftOnlyFile(folder: string): Promise<void> {
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : []
  const [only] = entries
  if (entries.length !== 1 || only?.isFile() !== true || only.name !== basename(folder)) return
  const aside = freePath(dirname(folder), `.${only.name}`)
  await rename(join(folder, only.name), aside)
  await rmdir(folder)
  await rename(aside, folder)
}

/** Unpacks an archive of an upload in its place; the archive goes. */
async function unpackInPlace(
  parts: ImporterParts,
  path: string,
  isAlone: boolean,
  signal: AbortSignal,
): Promise<Message[]> {
  const [folder, name] = [dirname(path), basename(path)]
  const archive = `${folder}.archive`
  await rename(path, archive)
  try {
    const base = withoutArchiveEnding(name).replace(/\.gdb$/i, '')
    const unpacked = isAlone ? folder : freePath(folder, base)
    const { messages } = await findInArchive(parts, archive, unpacked, signal, name)
    if (!isAlone) await liftOnlyFile(unpacked)
    return messages
  } finally {
    await rm(archive)
  }
}

/** Scans what one upload brought, archives unpacked in their place. */
export async function findInUpload(
  parts: ImporterParts,
  folder: string,
  root: string,
  signal: AbortSignal,
): Promise<FoundData> {
  const scan = () => scanFolder(folder, { signal, maxEntries: parts.limits.maxEntries })
  const first = await scan()
  const archives = first.filter(({ path }) => findArchive(path) !== undefined)
  const messages: Message[] = []
  for (const { path } of archives) {
    messages.push(...(await unpackInPlace(parts, path, first.length === 1, signal)))
  }
  const files = archives.length === 0 ? first : await scan()
  return { folder: root, files: files.filter(({ path }) => findArchive(path) === undefined), messages }
}
