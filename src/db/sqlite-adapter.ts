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
/** What a rollback gives where SQLite has ended the transaction itself, as it does when the disk is full. */
const nothingChanged = { changes: 0, lastInsertRowid: 0 }

/** `node:sqlite` in the form that Kysely's SQLite dialect drives. Statements are prepared once and kept. */
export class SqliteAdapter implements SqliteDatabase {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.#database = new DatabaseSync(path)
    this.#database.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma busy_timeout = 5000',
    )
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  prepare(sql: string): SqliteStatement {
    // A deferred transaction that reads first cannot become a writer once another has written.
    const statement = this.#prepared(sql === 'begin' ? 'begin immediate' : sql)
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...parameters.map(toParameter)),
      run: (parameters) =>
        sql === 'rollback' && !this.#database.isTransaction
          ? nothingChanged
          : statement.run(...parameters.map(toParameter)),
      iterate: (parameters) => statement.iterate(...parameters.map(toParameter)),
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= cachedStatements) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
