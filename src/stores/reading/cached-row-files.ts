import { RowFile } from './row-file.ts'

const maxKept = 32
/**
 * Retention of open files, in milliseconds. The space of a deleted file is only freed when no process has it
 * open.
 */
const keepMs = 2000

interface CachedRowFile {
  file: RowFile | undefined
  users: number
  usedMs: number
  timer: NodeJS.Timeout | undefined
}

const kept = new Map<string, CachedRowFile>()

/** Runs work on a row file, which stays open for the next call; with `undefined` if there is none. */
export async function withRowFile<Result>(
  path: string,
  work: (file: RowFile | undefined) => Promise<Result>,
): Promise<Result> {
  const known = kept.get(path) ?? { file: RowFile.open(path), users: 0, usedMs: 0, timer: undefined }
  if (known.file === undefined) return work(undefined)
  if (!kept.has(path)) watch(path, known)
  kept.delete(path)
  kept.set(path, known)
  known.users += 1
  try {
    return await work(known.file)
  } finally {
    known.users -= 1
    known.usedMs = performance.now()
    if (kept.size > maxKept) forgetOldest()
  }
}

/**
 * Checks periodically whether the file is in use: a timer for each tile would take longer than reading the
 * file.
 */
function watch(path: string, known: CachedRowFile): void {
  known.timer = setTimeout(() => {
    if (known.users > 0 || performance.now() - known.usedMs < keepMs) watch(path, known)
    else forget(path, known)
  }, keepMs).unref()
}

function forgetOldest(): void {
  for (const [oldest, one] of kept) {
    if (kept.size <= maxKept) break
    if (one.users === 0) forget(oldest, one)
  }
}

function forget(path: string, known: CachedRowFile): void {
  clearTimeout(known.timer)
  if (kept.get(path) === known) kept.delete(path)
  known.file?.close()
}
