import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { isInside } from '../../inputs/index.ts'
import type { StoreRecord } from '../records.ts'

function baseOf(fileName: string): string {
  return basename(fileName, extname(fileName))
}

/** True if a file belongs to a main file: the file itself, its journals, its sidecars. */
function belongsTo(entry: string, mainFile: string): boolean {
  return entry === mainFile || entry.startsWith(`${mainFile}-`) || entry.startsWith(`${baseOf(mainFile)}.`)
}

/**
 * Returns the entries of a folder that belong to `mainFile` and to none of `others`, whose names may have the
 * same prefix.
 */
function entriesOf(entries: string[], mainFile: string, others: string[]): string[] {
  const rivals = others.filter((other) => baseOf(other).length >= baseOf(mainFile).length)
  return entries.filter(
    (entry) => belongsTo(entry, mainFile) && !rivals.some((other) => belongsTo(entry, other)),
  )
}

/** Returns files of other stores in the same folder as the file of a store. */
function neighboursOf(path: string, remaining: readonly Pick<StoreRecord, 'parameters'>[]): string[] {
  return remaining.flatMap(({ parameters }) =>
    parameters.path !== undefined && dirname(parameters.path) === dirname(path)
      ? [basename(parameters.path)]
      : [],
  )
}

/**
 * Returns the file of a store with its journals and sidecars: only below `folder`, where the server has its
 * own files, and never a file that a store in `remaining` reads.
 */
export async function listOwnFiles(
  folder: string,
  { parameters: { path, read_only } }: Pick<StoreRecord, 'parameters'>,
  remaining: readonly Pick<StoreRecord, 'parameters'>[],
): Promise<string[]> {
  if (path === undefined || read_only === 'true') return []
  if (!(await isInside([folder], path).catch(() => false))) return []
  const parent = dirname(path)
  const entries = await readdir(parent).catch(() => [])
  return entriesOf(entries, basename(path), neighboursOf(path, remaining)).map((entry) => join(parent, entry))
}

/** Removes the file of a deleted store, as listed by `listOwnFiles`, and its folder if empty. */
export async function removeStoreFile(
  folder: string,
  store: Pick<StoreRecord, 'parameters'>,
  remaining: Pick<StoreRecord, 'parameters'>[],
): Promise<void> {
  const { path, read_only } = store.parameters
  if (path === undefined || read_only === 'true') return
  if (!(await isInside([folder], path).catch(() => false))) return
  for (const file of await listOwnFiles(folder, store, remaining)) await rm(file, { force: true })
  const parent = dirname(path)
  if (neighboursOf(path, remaining).length === 0 && resolve(parent) !== resolve(folder))
    await rmdir(parent).catch(() => undefined)
}

/** Returns the size of a file, or of a folder with all contents, in bytes. */
export async function sizeOfTree(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) return found?.size ?? 0
  let sum = 0
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      sum += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  return sum
}

/** Returns the size of a file with its journals and sidecars, in bytes. */
export async function sizeOfFiles(path: string): Promise<number> {
  const parent = dirname(path)
  const entries = await readdir(parent).catch(() => [])
  const sizes = entriesOf(entries, basename(path), []).map(async (entry) => {
    const found = await stat(join(parent, entry)).catch(() => undefined)
    return found?.size ?? 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
