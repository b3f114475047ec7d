import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Older files were left by a crashed process; younger ones may belong to another server. */
const leftBehindMs = 2 * 3_600_000

/** Removes files left in a folder by crashed processes that created files for single requests. */
export async function removeLeftBehind(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > leftBehindMs)
      await rm(path, { recursive: true, force: true })
  }
}
