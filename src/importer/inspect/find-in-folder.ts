import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import { copyGuarded } from '../../core/files/guarded-files.ts'
import { withoutFolderEnding } from '../../formats/index.ts'
import type { DataFile, FormatMessage } from '../../formats/worker.ts'
import {
  comparePaths,
  findArchive,
  isInside,
  scanFolder,
  type Unpacked,
  withoutArchiveEnding,
} from '../../inputs/index.ts'
import type { DataFiles, InspectDeps } from './unpack-data.ts'
import { findInArchive, freePath, liftOnlyFile, withoutArchives } from './unpack-data.ts'

export interface FolderOptions {
  /** Creates the folder that archives are unpacked to. */
  unpackFolder(): Promise<string>
  /** True to unpack archives in the folder; those of a mosaic are not unpacked. */
  opensArchives: boolean
}

/** Errors of a single archive that are reported while the scan continues. */
const tolerated = new Set(['broken-archive', 'split-archive', 'archive-not-supported'])
const isArchive = ({ path }: DataFile): boolean => findArchive(path) !== undefined

/** Copies the sidecars of a one-file archive, which belong to its file. */
async function copySidecars({ sidecars }: DataFile, folder: string): Promise<void> {
  for (const path of Object.values(sidecars)) await copyGuarded(path, join(folder, basename(path)))
}

/** Unpacks the archives of a folder one after the other, with limits for their total. */
class FolderArchives {
  readonly messages: FormatMessage[] = []
  /** Archives that could not be unpacked. */
  readonly closed: DataFile[] = []
  #taken: Unpacked = { entries: 0, bytes: 0 }
  readonly #deps: InspectDeps
  readonly #folder: string
  readonly #root: string

  constructor(deps: InspectDeps, folder: string, root: string) {
    this.#deps = deps
    this.#folder = folder
    this.#root = root
  }

  /** Throws for an archive that is malicious or exceeds the limits. */
  async open(archive: DataFile, signal: AbortSignal): Promise<void> {
    const { path } = archive
    const parent = join(this.#root, relative(this.#folder, dirname(path)))
    const base = withoutFolderEnding(withoutArchiveEnding(basename(path)))
    const target = freePath(parent, base === '' ? 'archive' : base)
    await mkdir(parent, { recursive: true })
    try {
      const { messages, taken } = await findInArchive(
        this.#deps.limits,
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

/** Scans a folder of the operator; archives in it are unpacked like uploaded ones. */
export async function findInFolder(
  deps: InspectDeps,
  folder: string,
  { unpackFolder, opensArchives }: FolderOptions,
  signal: AbortSignal,
): Promise<DataFiles> {
  const { maxEntries } = deps.limits
  const isAllowed = (real: string) => isInside(deps.roots, real)
  const files = await scanFolder(folder, { signal, maxEntries, isAllowed })
  const archives = files.filter(isArchive)
  if (archives.length === 0) return { folder, files, messages: [] }
  if (!opensArchives) {
    const why = 'is an archive in the folder of a mosaic and was not opened: unpack it'
    return withoutArchives(folder, files, 'archive-in-folder', why)
  }
  const root = await unpackFolder()
  const opened = new FolderArchives(deps, folder, root)
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
