import type { Dirent } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { invalid } from '../core/errors/errors.ts'
import { listGuarded } from '../core/files/guarded-files.ts'
import { isFolderDataset } from '../formats/index.ts'
import type { DataFile } from '../formats/worker.ts'
import { groupSidecars } from './sidecars.ts'

export interface ScanOptions {
  signal: AbortSignal
  maxEntries: number
  /** True if a link to this real path may be followed; default: no links. */
  isAllowed?(realPath: string): Promise<boolean>
}

const skippedNames = new Set(['__macosx', 'thumbs.db', 'desktop.ini'])

/** True for hidden files and metadata files of operating systems. */
export function isSkippedName(name: string): boolean {
  return name.startsWith('.') || skippedNames.has(name.toLowerCase())
}

async function kindOf(
  path: string,
  entry: Dirent,
  options: ScanOptions,
): Promise<'file' | 'folder' | 'other'> {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (!entry.isSymbolicLink() || options.isAllowed === undefined) return 'other'
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined || !(await options.isAllowed(real))) return 'other'
  const status = await stat(real)
  return status.isDirectory() ? 'folder' : status.isFile() ? 'file' : 'other'
}

async function collectPaths(folder: string, options: ScanOptions): Promise<string[]> {
  const paths: string[] = []
  const seen = new Set<string>()
  const waiting = [folder]
  let entryCount = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const real = await realpath(at)
    if (seen.has(real)) continue
    seen.add(real)
    for await (const entry of listGuarded(at)) {
      options.signal.throwIfAborted()
      if (isSkippedName(entry.name)) continue
      entryCount += 1
      if (entryCount > options.maxEntries) {
        throw invalid(
          'too-many-entries',
          `"${basename(folder)}" contains more than ${options.maxEntries} entries`,
        )
      }
      const path = join(at, entry.name)
      const kind = await kindOf(path, entry, options)
      if (kind === 'file' || (kind === 'folder' && isFolderDataset(entry.name))) paths.push(path)
      else if (kind === 'folder') waiting.push(path)
    }
  }
  return paths
}

/** Returns every data file below a folder with its sidecars, ordered by path without case. */
export async function scanFolder(folder: string, options: ScanOptions): Promise<DataFile[]> {
  return groupSidecars(await collectPaths(folder, options))
}

/** Returns one file with its sidecars from the same folder; throws `Failure` if there is no such file. */
export async function scanFile(path: string, signal: AbortSignal): Promise<DataFile> {
  const status = await lstat(path).catch(() => undefined)
  if (status === undefined) throw invalid('no-such-file', `File "${basename(path)}" does not exist`)
  const folder = dirname(path)
  const entries = await Array.fromAsync(listGuarded(folder))
  signal.throwIfAborted()
  const name = basename(path)
  const base = name.slice(0, name.length - extname(name).length).toLowerCase()
  const siblings = entries.filter((entry) => entry.isFile() && entry.name.toLowerCase().startsWith(base))
  const files = groupSidecars([...new Set([path, ...siblings.map((entry) => join(folder, entry.name))])])
  return files.find((file) => file.path === path) ?? { path, sidecars: {} }
}
