import { stat } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'

/** One state of an SQLite database, while other processes go on writing. The caller must call `close`. */
export interface SqliteSnapshot {
  /** Copies the state page by page to a new file. Returns its size. */
  copyTo(path: string): Promise<number>
  close(): void
}

/** Opens a read transaction, which fixes the state. */
export function openSnapshot(path: string): SqliteSnapshot {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    // A writer of a database without a write-ahead log waits for this transaction.
    database.exec('pragma busy_timeout = 10000; begin')
    database.prepare('select count(*) from sqlite_schema').get()
  } catch (error) {
    database.close()
    throw error
  }
  return {
    copyTo: async (target) => {
      await backup(database, target, { rate: 1000 })
      const copy = new DatabaseSync(target)
      try {
        // One file is complete without its log, and a damaged copy is noticed at once.
        const [row] = copy.prepare('pragma quick_check(1)').all()
        if (row?.['quick_check'] !== 'ok') throw new Error(`${path} is damaged: ${row?.['quick_check']}`)
        copy.exec('pragma wal_checkpoint(truncate)')
      } finally {
        copy.close()
      }
      return (await stat(target)).size
    },
    close: () => database.close(),
  }
}

/** Counts changes of a database by other processes. The caller must call `close`. */
export function watchChanges(path: string): { count(): number; close(): void } {
  const database = new DatabaseSync(path, { readOnly: true })
  database.exec('pragma busy_timeout = 10000')
  const version = database.prepare('pragma data_version')
  return { count: () => Number(version.get()?.['data_version']), close: () => database.close() }
}
