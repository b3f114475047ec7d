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
/** Waits for other processes first: the pragma that follows may find the file locked. */
const settings =
  'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on'
/** SQLite's full, ioerr and cantopen. */
const noRoomCodes = [10, 13, 14]

interface Prepared {
  statement: StatementSync
  /** Whether it gives rows. */
  isReader: boolean
  /** Whether it may change something, or ends what has. */
  isWriter: boolean
}

/** What a rollback gives where SQLite has ended the transaction itself, as it does when the disk is full. */
const nothingChanged = { changes: 0, lastInsertRowid: 0 }

/** `node:sqlite` in the form that Kysely's SQLite dialect drives. Statements are prepared once and kept. */
export class SqliteAdapter implements SqliteDatabase {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  #writes = 0

  constructor(path: string) {
    this.#database = openFile(path)
  }

  /** How many statements that may change something have been run. */
  get writes(): number {
    return this.#writes
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  prepare(sql: string): SqliteStatement {
    // A deferred transaction that reads first cannot become a writer once another has written.
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
 * Opens the file. Its write-ahead log needs a file of shared memory beside it, which a full disk has no room for: there the
 * database is locked for this process, which has the data directory for itself anyway.
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
