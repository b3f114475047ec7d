import type { FileLook } from '../file-state.ts'
import { lookAtFile, lookAtFileNow } from '../file-state.ts'

/**
 * What a database looks like: its file, and its log where one stands. Neither it nor the index of its log is opened for
 * that: whichever of them a process closes, it gives up the locks that SQLite holds for it there (POSIX, `fcntl`), and
 * two servers write at once.
 */
export async function lookAtDatabase(path: string): Promise<FileLook> {
  const log = await lookAtFile(`${path}-wal`, { isLog: true })
  const file = await lookAtFile(path)
  return lookOf(file, log)
}

/** The text of a log that holds nothing. */
export const noLog = lookAtFileNow('').text

/** How the log of a database looks; `noLog` where it holds nothing. */
export function lookAtLogNow(path: string): string {
  return lookAtFileNow(`${path}-wal`, { isLog: true }).text
}

/** The same at once, for threads that may wait for a file. */
export function lookAtDatabaseNow(path: string): FileLook {
  const log = lookAtFileNow(`${path}-wal`, { isLog: true })
  return lookOf(lookAtFileNow(path), log)
}

function lookOf(file: FileLook, log: FileLook): FileLook {
  return { text: `${file.text} ${log.text}`, settlesInMs: Math.max(file.settlesInMs, log.settlesInMs) }
}
