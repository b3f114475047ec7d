import type { FileLook } from '../file-state.ts'
import { lookAtFile, lookAtFileNow } from '../file-state.ts'

/**
 * What a database looks like: its file, and its log where one stands. Neither it nor the index of its log is opened for
 * that: whichever of them a process closes, it gives up the locks that SQLite holds for it there (POSIX, `fcntl`), and
 * two servers write at once.
 */
export async function lookAtDatabase(path: string): Promise<FileLook> {
  const lookAtLog = (): Promise<FileLook> => lookAtFile(`${path}-wal`, { isLog: true })
  let log = await lookAtLog()
  for (let attempt = 1; ; attempt += 1) {
    const file = await lookAtFile(path)
    if (log.text === noLog || attempt === mostLooks) return lookOf(file, log)
    // Whoever moves the log in between leaves a file that never stood beside it.
    const again = await lookAtLog()
    if (again.text === log.text) return lookOf(file, log)
    log = again
  }
}

const mostLooks = 4

/** The text of a log that holds nothing. */
export const noLog = lookAtFileNow('').text

/** How the log of a database looks; `noLog` where it holds nothing. */
export function lookAtLogNow(path: string): string {
  return lookAtFileNow(`${path}-wal`, { isLog: true }).text
}

/** The same at once, for threads that may wait for a file. */
export function lookAtDatabaseNow(path: string): FileLook {
  let log = lookAtFileNow(`${path}-wal`, { isLog: true })
  for (let attempt = 1; ; attempt += 1) {
    const file = lookAtFileNow(path)
    if (log.text === noLog || attempt === mostLooks) return lookOf(file, log)
    const again = lookAtFileNow(`${path}-wal`, { isLog: true })
    if (again.text === log.text) return lookOf(file, log)
    log = again
  }
}

function lookOf(file: FileLook, log: FileLook): FileLook {
  return { text: `${file.text} ${log.text}`, settlesInMs: Math.max(file.settlesInMs, log.settlesInMs) }
}
