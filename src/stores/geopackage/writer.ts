import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/time/clock.ts'
import { openForLoading } from './connections.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import { logBytes, moveIntoFile, movePart, tryToMove } from './move-log.ts'
import { closeQuietly } from './server-writes.ts'

/** A larger log is moved into the file immediately, even if more loads follow. */
const maxLogBytes = 16 * 2 ** 20

/** Maximum time to move the log, less than the time a connection is retained after a load. */
const longestMoveMs = 500
const movePauseMs = 10

interface OpenFile {
  db: DatabaseSync
  file: string
  /** True if the connection was only used in ways that do not make its cached schema outdated. */
  knowsAll: boolean
}

/**
 * Provides connections for loads. A connection is retained for `keepMs` after a load: a new connection reads
 * the whole schema again, and the committed changes of consecutive loads are moved into the file once.
 */
export class Writer {
  readonly #path: string
  readonly #keepMs: number
  #kept: OpenFile | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(path: string, keepMs: number) {
    this.#path = path
    this.#keepMs = keepMs
  }

  /**
   * Returns a connection for one load; `isNew` requests one that knows every trigger. The caller must pass it
   * to `keep` or close it.
   */
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

  /**
   * Ends a committed load or edit; `knowsAll` if no schema was written without the knowledge of the
   * connection.
   */
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

  /**
   * Waits until the last load has moved the log: two concurrent writers of Terrane cannot distinguish their
   * writes from those of other programs.
   */
  async whenMoved(): Promise<void> {
    const deadline = performance.now() + longestMoveMs
    while (this.#kept === undefined && logBytes(this.#path) > 0 && performance.now() < deadline)
      await sleep(movePauseMs)
  }

  /**
   * Moves the log into the file if no other connection is active: a process that just ends does not report
   * the move.
   */
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
   * The last connection that closes moves the log into the file, and a reader does not report the move, so
   * this connection stays open while another one reads the previous state.
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

  /** Errors of moving the log may be due to the file, and are ignored. */
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

  /** Ends a failed load, whatever the state of the file, without waiting. */
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

/** Returns the identity of the file at a path; undefined if there is none. */
function identity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

/** Dependencies of loads into a file. */
export interface LoadSurroundings {
  path: string
  writer: Writer
  clock: Clock
  findDefinition: FindCrsDefinition
}
