import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { openForLoading } from './connections.ts'
import { logBytes, moveIntoFile, movePart, tryToMove } from './move-log.ts'
import { closeQuietly } from './own-writes.ts'

/** A log of commits longer than this is moved into the file at once, though more loads follow. */
const maxLogBytes = 16 * 2 ** 20

/** After a load its connection is kept for less. */
const longestMoveMs = 500
const movePauseMs = 10

interface Kept {
  db: DatabaseSync
  file: string
  /** Whether it was used for nothing that it does not know of itself. */
  knowsAll: boolean
}

/**
 * Gives loads their connections. One is kept for `keepMs` after a load: SQLite reads the whole schema anew in a new
 * connection, and what a load has committed is moved into the file once for all loads that follow one another.
 */
export class Writer {
  readonly #path: string
  readonly #keepMs: number
  #kept: Kept | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(path: string, keepMs: number) {
    this.#path = path
    this.#keepMs = keepMs
  }

  /** A connection for one load; `isNew` asks for one that knows every trigger. Give it to `keep` or close it. */
  async take({ isNew }: { isNew: boolean }): Promise<DatabaseSync> {
    const kept = this.#kept
    clearTimeout(this.#timer)
    if (kept !== undefined && (!isNew || kept.knowsAll) && kept.file === identity(this.#path)) {
      this.#kept = undefined
      return kept.db
    }
    await this.#letGo()
    return openForLoading(this.#path)
  }

  /** Ends a load or edit that committed; `knowsAll` where no schema was written behind the back of the connection. */
  async keep(db: DatabaseSync, { knowsAll = false }: { knowsAll?: boolean } = {}): Promise<void> {
    const file = identity(this.#path)
    if (this.#keepMs === 0 || this.#kept !== undefined || file === undefined) {
      await this.#leave(db, () => moveIntoFile(this.#path, db))
      return
    }
    this.#kept = { db, file, knowsAll }
    db.exec('PRAGMA shrink_memory')
    if (logBytes(this.#path) > maxLogBytes) await moveIntoFile(this.#path, db)
    this.#letGoLater()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#letGo()
  }

  /** Waits a moment for who has loaded to move the log: two of ours at once cannot tell their writes from those of others. */
  async whenMoved(): Promise<void> {
    const deadline = performance.now() + longestMoveMs
    while (this.#kept === undefined && logBytes(this.#path) > 0 && performance.now() < deadline)
      await sleep(movePauseMs)
  }

  /** Leaves no log behind, where nobody is at work: what ends with the process does not tell that it has moved it. */
  async moveRest(): Promise<void> {
    if (logBytes(this.#path) === 0) return
    const db = openForLoading(this.#path)
    await this.#leave(db, () => tryToMove(this.#path, db)).catch(() => undefined)
  }

  #letGoLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#letGoOnceMoved(), this.#keepMs).unref()
  }

  /**
   * Whoever closes last moves the log into the file, and a reader does not tell of that: so the connection stays as long as
   * somebody reads what was there before.
   */
  #letGoOnceMoved(): void {
    const kept = this.#kept
    if (kept === undefined) return
    if (!this.#isClosed && !this.#isMoved(kept.db)) {
      this.#letGoLater()
      return
    }
    this.#kept = undefined
    closeQuietly(this.#path, () => kept.db.close())
  }

  /** What keeps a log from being moved may be wrong with the file: then it is let be. */
  #isMoved(db: DatabaseSync): boolean {
    try {
      return tryToMove(this.#path, db)
    } catch {
      return true
    }
  }

  async #letGo(): Promise<void> {
    clearTimeout(this.#timer)
    const kept = this.#kept
    this.#kept = undefined
    if (kept !== undefined) await this.#leave(kept.db, () => moveIntoFile(this.#path, kept.db))
  }

  /** Ends a load that failed, whatever is wrong with the file, and waits for nobody. */
  async drop(db: DatabaseSync): Promise<void> {
    await this.#leave(db, () => movePart(this.#path, db)).catch(() => undefined)
  }

  async #leave(db: DatabaseSync, move: () => unknown): Promise<void> {
    try {
      await move()
    } finally {
      closeQuietly(this.#path, () => db.close())
    }
  }
}

/** Which file stands under a path; undefined where there is none. */
function identity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}
