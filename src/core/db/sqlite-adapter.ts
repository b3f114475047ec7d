import { existsSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

type Parameter = null | number | bigint | string | Uint8Array

function toParameter(value: unknown): Parameter {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`A ${typeof value} cannot be bound to a statement`)
}

const cachedStatements = 500
/** Sets the busy timeout first, since the next pragma may find the file locked. */
const settings =
  'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on'
/** SQLite's full, ioerr and cantopen. */
const noRoomCodes = [10, 13, 14]

interface Prepared {
  statement: StatementSync
  /** True if it returns rows. */
  isReader: boolean
  /** True if it may change data, or end a transaction that did. */
  isWriter: boolean
}

/** Result of a rollback if SQLite has ended the transaction itself, as it does when the disk is full. */
const nothingChanged = { changes: 0, lastInsertRowid: 0 }

/** `node:sqlite` in the form required by Kysely's SQLite dialect. Prepared statements are cached. */
export class SqliteAdapter implements SqliteDatabase {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  #writes = 0

  constructor(path: string) {
    this.#database = openFile(path)
  }

  /** Number of executed statements that may change data. */
  get writes(): number {
    return this.#writes
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  prepare(sql: string): SqliteStatement {
    // A deferred transaction that starts with a read cannot become a writer after another has written.
    const { statement, isReader, isWriter } = this.#prepared(sql === 'begin' ? 'begin immediate' : sql)
    const begin = (): void => {
      if (isWriter) this.#writes += 1
    }
    return {
      reader: isReader,
      all: (parameters) => {
        begin()
        return statement.all(...parameters.map(toParameter))
      },
      run: (parameters) => {
        begin()
        const isEnded = sql === 'rollback' && !this.#database.isTransaction
        return isEnded ? nothingChanged : statement.run(...parameters.map(toParameter))
      },
      iterate: (parameters) => statement.iterate(...parameters.map(toParameter)),
    }
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= cachedStatements) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    const isWriter = !/^\s*select\b/i.test(sql)
    const prepared = { statement, isReader: statement.columns().length > 0, isWriter }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/**
 * Opens the file. Its write-ahead log needs a shared memory file next to it, for which a full disk has no
 * space: the database is then locked for this process, which uses the data directory exclusively anyway.
 */
function openFile(path: string): DatabaseSync {
  const opened = new DatabaseSync(path)
  try {
    opened.exec(settings)
    return opened
  } catch (error) {
    opened.close()
    if (!existsSync(path) || !noRoomCodes.includes(Number((error as { errcode?: unknown }).errcode) & 0xff))
      throw error
  }
  const locked = new DatabaseSync(path)
  try {
    locked.exec(`pragma locking_mode = exclusive; ${settings}`)
    return locked
  } catch (error) {
    locked.close()
    throw error
  }
}
