import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { DataFile } from '../../formats/worker.ts'

/** Returns the main file with every file of its folder that has the same base name, in any case. */
export async function withSidecars(path: string): Promise<DataFile> {
  const base = `${basename(path, extname(path))}.`.toLowerCase()
  const sidecars: Record<string, string> = {}
  for (const name of await readdir(dirname(path))) {
    const isSidecar = name.toLowerCase().startsWith(base) && name !== basename(path)
    if (isSidecar) sidecars[name.slice(base.length).toLowerCase()] = join(dirname(path), name)
  }
  return { path, sidecars }
}
