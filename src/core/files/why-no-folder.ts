import { statSync } from 'node:fs'

/** Returns why a path is not a folder that can be read, as the end of a sentence; undefined if it is one. */
export function whyNoFolder(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return 'does not exist'
    return found.isDirectory() ? undefined : 'is not a folder'
  } catch {
    return 'this user may not enter'
  }
}
