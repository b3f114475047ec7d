import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { withoutFolderEnding } from '../../formats/file-names.ts'
import type { DataFile, Message } from '../../formats/format.ts'
import { Failure } from '../../lib/errors.ts'
import { copyGuarded } from '../../lib/files/guarded-files.ts'
import { findArchive, withoutArchiveEnding } from '../../sources/archive.ts'
import type { Unpacked } from '../../sources/limits.ts'
import { isInside } from '../../sources/path-guard.ts'
import { scanFolder } from '../../sources/scan.ts'
import { comparePaths } from '../../sources/sidecars.ts'
import type { LookNeeds } from './look-needs.ts'
import type { FoundData } from './unpack-data.ts'
import { findInArchive, freePath, liftOnlyFile, withoutArchives } from './unpack-data.ts'

export interface FolderOptions {
  /** Makes the folder of ours that archives are unpacked to. */
  unpackFolder(): Promise<string>
  /** Whether archives that lie in the folder are opened; those of a mosaic are not. */
  opensArchives: boolean
}

/** What is wrong with one archive alone: it is told, and the rest goes on. */
const tolerated = new Set(['broken-archive', 'split-archive', 'archive-not-supported'])
const isArchive = ({ path }: DataFile): boolean => findArchive(path) !== undefined

/** What lies beside an archive of one file belongs to that file. */
async function copySidecars({ sidecars }: DataFile, folder: string): Promise<void> {
  for (const path of Object.values(sidecars)) await copyGuarded(path, join(folder, basename(path)))
}

/** The archives of a folder on their way into one of ours, one after the other, under limits for all of them. */
class FolderArchives {
  readonly messages: Message[] = []
  /** Those that could not be opened. */
  readonly closed: DataFile[] = []
  #taken: Unpacked = { entries: 0, bytes: 0 }
  readonly #parts: LookNeeds
  readonly #folder: string
  readonly #root: string

  constructor(parts: LookNeeds, folder: string, root: string) {
    this.#parts = parts
    this.#folder = folder
    this.#root = root
  }

  /** Throws for an archive that means harm or takes more than the limits. */
  async open(archive: DataFile, signal: AbortSignal): Promise<void> {
    const { path } = archive
    const parent = join(this.#root, relative(this.#folder, dirname(path)))
    const base = withoutFolderEnding(withoutArchiveEnding(basename(path)))
    const target = freePath(parent, base === '' ? 'archive' : base)
    await mkdir(parent, { recursive: true })
    try {
      const { messages, taken } = await findInArchive(
        this.#parts,
        path,
        target,
        signal,
        basename(path),
        this.#taken,
      )
      this.#taken = taken
      this.messages.push(...messages)
      if (await liftOnlyFile(target)) await copySidecars(archive, parent)
    } catch (error) {
      if (!(error instanceof Failure) || !tolerated.has(error.code)) throw error
      this.closed.push(archive)
      this.messages.push({ level: 'warning', code: error.code, message: error.message })
    }
  }
}

/** Scans a folder of the operator's; archives in it are opened like those that are uploaded. */
export async function findInFolder(
  parts: LookNeeds,
  folder: string,
  { unpackFolder, opensArchives }: FolderOptions,
  signal: AbortSignal,
): Promise<FoundData> {
  const { maxEntries } = parts.limits
  const isAllowed = (real: string) => isInside(parts.roots, real)
  const files = await scanFolder(folder, { signal, maxEntries, isAllowed })
  const archives = files.filter(isArchive)
  if (archives.length === 0) return { folder, files, messages: [] }
  if (!opensArchives) {
    const why = 'is an archive in the folder of a mosaic and was not opened: unpack it'
    return withoutArchives(folder, files, 'archive-in-folder', why)
  }
  const root = await unpackFolder()
  const opened = new FolderArchives(parts, folder, root)
  for (const archive of archives) await opened.open(archive, signal)
  const inside = existsSync(root) ? await scanFolder(root, { signal, maxEntries }) : []
  return {
    folder,
    files: [...files, ...inside]
      .filter((file) => !isArchive(file))
      .sort((a, b) => comparePaths(a.path, b.path)),
    messages: opened.messages,
    archives: opened.closed,
    unpacked: dirname(root),
  }
}
