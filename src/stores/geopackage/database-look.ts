import type { FileLook } from '../file-state.ts'
import { lookAtFile } from '../file-state.ts'

/**
 * What a database looks like: its file, and its log where one stands. Neither it nor the index of its log is opened for
 * that: whichever of them a process closes, it gives up the locks that SQLite holds for it there (POSIX, `fcntl`), and
 * two servers write at once.
 */
export async function lookAtDatabase(path: string): Promise<FileLook> {
  const log = await lookAtFile(`${path}-wal`, { isLog: true })
  const file = await lookAtFile(path)
  return { text: `${file.text} ${log.text}`, settlesInMs: Math.max(file.settlesInMs, log.settlesInMs) }
}
