import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { isInside } from '../../sources/path-guard.ts'
import type { StoreRecord } from '../records.ts'

function baseOf(fileName: string): string {
  return basename(fileName, extname(fileName))
}

/** Whether a file stands or falls with a main file: itself, its journals, its sidecars. */
function belongsTo(entry: string, mainFile: string): boolean {
  return entry === mainFile || entry.startsWith(`${mainFile}-`) || entry.startsWith(`${baseOf(mainFile)}.`)
}

/** The entries of a folder that go with `mainFile` and with none of `others`, whose names may begin alike. */
function entriesOf(entries: string[], mainFile: string, others: string[]): string[] {
  const rivals = others.filter((other) => baseOf(other).length >= baseOf(mainFile).length)
  return entries.filter(
    (entry) => belongsTo(entry, mainFile) && !rivals.some((other) => belongsTo(entry, other)),
  )
}

/**
 * Removes the file of a store that is gone, with its journals and sidecars, and its folder once that is empty: only
 * below `folder`, where the server keeps what is its own, and never a file that one of `remaining` reads.
 */
export async function removeStoreFile(
  folder: string,
  store: Pick<StoreRecord, 'parameters'>,
  remaining: Pick<StoreRecord, 'parameters'>[],
): Promise<void> {
  const { path, read_only } = store.parameters
  if (path === undefined || read_only === 'true') return
  if (!(await isInside([folder], path).catch(() => false))) return
  const parent = dirname(path)
  const others = remaining.flatMap(({ parameters }) =>
    parameters.path !== undefined && dirname(parameters.path) === parent ? [basename(parameters.path)] : [],
  )
  const entries = await readdir(parent).catch(() => [])
  for (const entry of entriesOf(entries, basename(path), others))
    await rm(join(parent, entry), { force: true })
  if (others.length === 0 && resolve(parent) !== resolve(folder)) await rmdir(parent).catch(() => undefined)
}

/** Bytes of a file with its journals and sidecars. */
export async function sizeOfFiles(path: string): Promise<number> {
  const parent = dirname(path)
  const entries = await readdir(parent).catch(() => [])
  const sizes = entriesOf(entries, basename(path), []).map(async (entry) => {
    const found = await stat(join(parent, entry)).catch(() => undefined)
    return found?.size ?? 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
