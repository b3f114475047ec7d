import type { FileFingerprint } from '../file-state.ts'
import { fingerprintFile, fingerprintFileNow } from '../file-state.ts'

/**
 * Returns the state of a database: of its file and of its log, if there is one. Opens neither the file nor
 * the index of the log: closing either would release the locks that SQLite has on it in this process (POSIX,
 * `fcntl`), and two servers could write at the same time.
 */
export async function fingerprintDatabase(path: string): Promise<FileFingerprint> {
  const lookAtLog = (): Promise<FileFingerprint> => fingerprintFile(`${path}-wal`, { isLog: true })
  let log = await lookAtLog()
  for (let attempt = 1; ; attempt += 1) {
    const file = await fingerprintFile(path)
    if (log.text === noLog || attempt === maxLooks) return lookOf(file, log)
    // If the log is moved into the file in between, this file state never existed together with that log
    // state.
    const again = await lookAtLog()
    if (again.text === log.text) return lookOf(file, log)
    log = again
  }
}

const maxLooks = 4

/** State text of an empty log. */
export const noLog = fingerprintFileNow('').text

/** Returns the state of the log of a database; `noLog` if the log is empty. */
export function fingerprintLogNow(path: string): string {
  return fingerprintFileNow(`${path}-wal`, { isLog: true }).text
}

/** Synchronous version, for threads that may block. */
export function fingerprintDatabaseNow(path: string): FileFingerprint {
  let log = fingerprintFileNow(`${path}-wal`, { isLog: true })
  for (let attempt = 1; ; attempt += 1) {
    const file = fingerprintFileNow(path)
    if (log.text === noLog || attempt === maxLooks) return lookOf(file, log)
    const again = fingerprintFileNow(`${path}-wal`, { isLog: true })
    if (again.text === log.text) return lookOf(file, log)
    log = again
  }
}

function lookOf(file: FileFingerprint, log: FileFingerprint): FileFingerprint {
  return { text: `${file.text} ${log.text}`, settlesInMs: Math.max(file.settlesInMs, log.settlesInMs) }
}
