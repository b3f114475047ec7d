import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

declare global {
  interface ImportMeta {
    /** Folder of the bundle, set by the build (`scripts/setup/server.mjs`). Absent if the sources run. */
    readonly bundleFolder?: string
  }
}

/** Folder of the bundle that this thread runs from; undefined if it runs the sources. */
export const bundleFolder: string | undefined = import.meta.bundleFolder

/**
 * Marks the bundle of this process as used, so that set-up does not delete it when a newer one is built:
 * workers and packages are loaded from it later. Returns a function that removes the mark.
 */
export function holdBundle(): () => void {
  if (bundleFolder === undefined) return () => undefined
  const users = join(bundleFolder, 'users')
  const file = join(users, String(process.pid))
  try {
    mkdirSync(users, { recursive: true })
    writeFileSync(file, '')
  } catch {
    // Without write permission there the process cannot run set-up either.
    return () => undefined
  }
  return () => rmSync(file, { force: true })
}
