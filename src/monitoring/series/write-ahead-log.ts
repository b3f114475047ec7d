import { statSync } from 'node:fs'

/** Twice what SQLite copies back by itself (`wal_autocheckpoint`). */
export const allowedLogBytes = 64 * 2 ** 20

/**
 * Bounds the write-ahead log of the series. Where reads overlap all the time, SQLite never finds the moment to write the log
 * from its beginning again, and the file grows. So the writer waits for the reads under way once the log is large: reads
 * are short, and later ones need nothing of the log by then.
 */
export class WriteAheadLog {
  readonly #path: string
  /** Copies everything back and empties the file, unless a read goes on for too long. */
  readonly #empty: () => void
  #nextBytes = allowedLogBytes

  constructor(databasePath: string, empty: () => void) {
    this.#path = `${databasePath}-wal`
    this.#empty = empty
  }

  /** To be called after a transaction. */
  bound(): void {
    if (this.#bytes() <= this.#nextBytes) return
    this.#empty()
    // After a read that went on for too long the next try comes when the log has grown again.
    this.#nextBytes = this.#bytes() + allowedLogBytes
  }

  #bytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }
}
