import { statSync } from 'node:fs'

/** Twice SQLite's automatic checkpoint (`wal_autocheckpoint`). */
export const allowedLogBytes = 64 * 2 ** 20

/**
 * Limits the write-ahead log of the series. If reads always overlap, SQLite never restarts the log at its
 * beginning, and the file grows. So the writer waits for the running reads once the log is large: reads are
 * short, and later ones do not need the log.
 */
export class WriteAheadLog {
  readonly #path: string
  /** Checkpoints everything and truncates the file, unless a read takes too long. */
  readonly #empty: () => void
  #nextBytes = allowedLogBytes

  constructor(databasePath: string, empty: () => void) {
    this.#path = `${databasePath}-wal`
    this.#empty = empty
  }

  /** Limits the log. Call it after each transaction. */
  bound(): void {
    if (this.#bytes() <= this.#nextBytes) return
    this.#empty()
    // If a read took too long, tries again when the log has grown further.
    this.#nextBytes = this.#bytes() + allowedLogBytes
  }

  #bytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }
}
