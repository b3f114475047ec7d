import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads every file below the folder of a running server. Skips files that the server removes meanwhile. */
export function readTree(folder: string): { name: string; bytes: Buffer }[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return entries.flatMap(({ parentPath, name }) => {
    try {
      return [{ name, bytes: readFileSync(join(parentPath, name)) }]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
}
