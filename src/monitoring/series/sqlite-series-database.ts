import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { explain } from '../../core/errors/errors.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import { NumberList } from './number-list.ts'
import { migrationsFrom } from './schema.ts'
import type { SeriesDatabase, SeriesDatabaseOptions, SqlValue, TakeNumbers } from './series-database.ts'
import { allowedLogBytes, WriteAheadLog } from './write-ahead-log.ts'

const rowsPerStatement = 16
const maxStatements = 300
const busyMs = 5000
/** Time that the writer waits for running reads before it truncates the log. */
const readsEndMs = 1000
/** Each reader thread has its own cache. */
const readerCacheKb = 16_384
const writerCacheKb = 65_536

/**
 * The series in a SQLite file. One connection may write; any number of readers see what it has committed.
 * Transactions of one connection and single statements outside them run one after the other.
 */
export class SqliteSeriesDatabase implements SeriesDatabase {
  readonly kind = 'sqlite'
  readonly #connection: SqliteConnection
  readonly #turns = new WorkQueue({ limit: 1 })
  readonly #log: WriteAheadLog | undefined

  constructor(path: string, { isReader = false }: SeriesDatabaseOptions = {}) {
    try {
      this.#connection = openConnection(path, isReader)
      if (!isReader) this.#log = new WriteAheadLog(path, () => this.#connection.emptyLog())
    } catch (error) {
      const advice = 'if it is damaged, stop the server and move it away with its -wal and -shm'
      throw new Error(`${path} cannot be opened (${explain(error)}): ${advice}`, { cause: error })
    }
  }

  all<T>(sql: string, values?: readonly SqlValue[]): Promise<T[]> {
    return this.#turns.run(() => this.#connection.all(sql, values))
  }

  arrays(sql: string, values?: readonly SqlValue[]): Promise<SqlValue[][]> {
    return this.#turns.run(() => this.#connection.arrays(sql, values))
  }

  numbers(sql: string, columns: readonly string[], take: TakeNumbers): Promise<void> {
    return this.#turns.run(() => this.#connection.numbers(sql, columns, take))
  }

  run(sql: string, values?: readonly SqlValue[]): Promise<number> {
    return this.#turns.run(() => this.#connection.run(sql, values))
  }

  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict?: string,
  ): Promise<void> {
    return this.#turns.run(() => this.#connection.insert(table, columns, rows, conflict))
  }

  transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      const result = await this.#connection.inside('begin immediate', work)
      this.#log?.bound()
      return result
    })
  }

  snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return this.#turns.run(() => this.#connection.inside('begin', work))
  }

  close(): Promise<void> {
    return this.#turns.run(async () => this.#connection.end())
  }
}

function openConnection(path: string, isReader: boolean): SqliteConnection {
  const database = new DatabaseSync(path, { readOnly: isReader })
  try {
    const connection = new SqliteConnection(database, isReader ? readerCacheKb : writerCacheKb)
    if (!isReader) connection.migrate()
    return connection
  } catch (error) {
    database.close()
    throw error
  }
}

/** Connection inside a transaction: statements run at once. */
class SqliteConnection implements SeriesDatabase {
  readonly kind = 'sqlite'
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #numbers: NumberList | undefined

  constructor(database: DatabaseSync, cacheKb: number) {
    this.#database = database
    database.exec(
      `pragma busy_timeout = ${busyMs}; pragma cache_size = -${cacheKb}; pragma temp_store = memory`,
    )
    database.aggregate('collect_numbers', {
      start: 0,
      varargs: true,
      step: (rows: number, ...row: SQLOutputValue[]) => {
        this.#numbers?.add(row)
        return rows + 1
      },
    })
  }

  async all<T>(sql: string, values: readonly SqlValue[] = []): Promise<T[]> {
    const rows: unknown[] = this.#statement(sql).all(...values)
    return rows as T[]
  }

  async arrays(sql: string, values: readonly SqlValue[] = []): Promise<SqlValue[][]> {
    const rows: unknown = this.#statement(sql, true).all(...values)
    return rows as SqlValue[][]
  }

  /** SQLite calls an aggregate function for each row, which creates no array per row. */
  async numbers(sql: string, columns: readonly string[], take: TakeNumbers): Promise<void> {
    const numbers = new NumberList(take)
    this.#numbers = numbers
    this.#statement(`select collect_numbers(${columns.join(',')}) from (${sql})`).all()
    numbers.finish()
  }

  async run(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return Number(this.#statement(sql).run(...values).changes)
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict = '',
  ): Promise<void> {
    const one = `(${columns.map(() => '?').join(',')})`
    const head = `insert into ${table} (${columns.join(',')}) values `
    const many = `${head}${Array(rowsPerStatement).fill(one).join(',')} ${conflict}`
    const values: SqlValue[] = []
    let start = 0
    for (; rows.length - start >= rowsPerStatement; start += rowsPerStatement) {
      for (let at = 0; at < rowsPerStatement; at += 1)
        for (let column = 0; column < columns.length; column += 1)
          values[at * columns.length + column] = rows[start + at]?.[column] ?? null
      this.#statement(many).run(...values)
    }
    for (const row of rows.slice(start)) this.#statement(`${head}${one} ${conflict}`).run(...row)
  }

  transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return work(this)
  }

  snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return work(this)
  }

  async close(): Promise<void> {
    throw new Error('A transaction cannot close its database')
  }

  end(): void {
    this.#statements.clear()
    this.#database.close()
  }

  async inside<T>(begin: string, work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    this.#database.exec(begin)
    try {
      const result = await work(this)
      this.#database.exec('commit')
      return result
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  /**
   * Moves the write-ahead log into the file and truncates it, unless reads take too long or the disk is full.
   */
  emptyLog(): void {
    this.#database.exec(`pragma busy_timeout = ${readsEndMs}`)
    try {
      this.#database.exec('pragma wal_checkpoint(truncate)')
    } catch {
      // The transaction is committed, whether or not the log can be truncated.
    } finally {
      this.#database.exec(`pragma busy_timeout = ${busyMs}`)
    }
  }

  /** Creates the tables, or updates those of an earlier version. */
  migrate(): void {
    this.#database.exec(
      `pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = normal;
       pragma wal_autocheckpoint = 8000; pragma journal_size_limit = ${allowedLogBytes}`,
    )
    this.#database.exec('begin immediate')
    try {
      const { user_version: version } = this.#database.prepare('pragma user_version').get() ?? {}
      for (const { number, statements } of migrationsFrom('sqlite', Number(version))) {
        for (const sql of statements) this.#database.exec(sql)
        this.#database.exec(`pragma user_version = ${number}`)
      }
      this.#database.exec('commit')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  #statement(sql: string, asArrays = false): StatementSync {
    const key = asArrays ? `arrays ${sql}` : sql
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    if (asArrays) statement.setReturnArrays(true)
    this.#statements.set(key, statement)
    return statement
  }
}
