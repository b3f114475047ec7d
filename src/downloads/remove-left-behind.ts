import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What is older was left behind by a process that died; what is younger may be another server's. */
const leftBehindMs = 2 * 3_600_000

/** Removes what stands in a folder since a process died that made files for one request each. */
export async function removeLeftBehind(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > leftBehindMs)
      await rm(path, { recursive: true, force: true })
  }
}
