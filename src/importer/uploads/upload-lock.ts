import { open, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const leaseMs = 5000
const renewMs = 1000
/** Paths of the locks of this process: they are not stale, even if it did not touch them in time. */
const held = new Set<string>()

/**
 * Locks an upload for one writer across processes, by a file that the holder touches regularly. A lock of another
 * process that was not touched for five seconds, such as after a kill, is stale. Returns a function that releases the
 * lock, or undefined if another writer has it.
 */
export async function lockUpload(folder: string): Promise<(() => Promise<void>) | undefined> {
  const path = join(folder, 'lock')
  if (held.has(path)) return undefined
  if (!(await make(path)) && !((await removeStale(path)) && (await make(path)))) return undefined
  held.add(path)
  const timer = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined)
  }, renewMs).unref()
  return async () => {
    clearInterval(timer)
    held.delete(path)
    await rm(path, { force: true })
  }
}

async function make(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Renames the stale file: of several concurrent callers only one succeeds. */
async function removeStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && Date.now() - found.mtimeMs < leaseMs) return false
  const aside = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  await rename(path, aside).catch(() => undefined)
  await rm(aside, { force: true })
  return true
}
