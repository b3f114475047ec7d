import type { SQLOutputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { NumberList } from './number-list.ts'
import { schemaFor } from './schema.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'

const rowsPerStatement = 16

export interface SqliteSeriesOptions {
  /** True: reads only, beside the one writer. */
  isReader?: boolean
}

/** The series in a SQLite file. One connection may write; any number of readers see what it has committed. */
export class SqliteSeriesDatabase implements SeriesDatabase {
  readonly kind = 'sqlite'
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #numbers = new NumberList()

  constructor(path: string, { isReader = false }: SqliteSeriesOptions = {}) {
    this.#database = new DatabaseSync(path, { readOnly: isReader })
    this.#database.exec('pragma busy_timeout = 5000; pragma cache_size = -16384; pragma temp_store = memory')
    this.#database.aggregate('collect_numbers', {
      start: 0,
      varargs: true,
      step: (rows: number, ...row: SQLOutputValue[]) => {
        this.#numbers.add(row)
        return rows + 1
      },
    })
    if (!isReader) this.#prepare()
  }

  async all<T>(sql: string, values: readonly SqlValue[] = []): Promise<T[]> {
    const rows: unknown[] = this.#statement(sql).all(...values)
    return rows as T[]
  }

  async arrays(sql: string, values: readonly SqlValue[] = []): Promise<SqlValue[][]> {
    const rows: unknown = this.#statement(sql, true).all(...values)
    return rows as SqlValue[][]
  }

  /** A function that SQLite calls for each row makes no array for it. */
  async numbers(sql: string, columns: readonly string[]): Promise<Float64Array> {
    this.#numbers = new NumberList()
    this.#statement(`select collect_numbers(${columns.join(',')}) from (${sql})`).all()
    return this.#numbers.finish()
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
    for (let start = 0; start < rows.length; ) {
      const count = rows.length - start >= rowsPerStatement ? rowsPerStatement : 1
      const places = Array.from({ length: count }, () => `(${columns.map(() => '?').join(',')})`).join(',')
      const sql = `insert into ${table} (${columns.join(',')}) values ${places} ${conflict}`
      this.#statement(sql).run(...rows.slice(start, start + count).flat())
      start += count
    }
  }

  async transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return this.#inside('begin immediate', work)
  }

  async snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    return this.#inside('begin', work)
  }

  async close(): Promise<void> {
    this.#statements.clear()
    this.#database.close()
  }

  async #inside<T>(begin: string, work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    this.#database.exec(begin)
    try {
      const result = await work(this)
      this.#database.exec('commit')
      return result
    } catch (error) {
      // A full disk has ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  #prepare(): void {
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
    const { user_version: version } = this.#database.prepare('pragma user_version').get() ?? {}
    if (version !== 0) return
    this.#database.exec('begin immediate')
    for (const sql of schemaFor('sqlite')) this.#database.exec(sql)
    this.#database.exec('pragma user_version = 1; commit')
  }

  #statement(sql: string, asArrays = false): StatementSync {
    const key = asArrays ? `arrays ${sql}` : sql
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    if (this.#statements.size >= 200) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    if (asArrays) statement.setReturnArrays(true)
    this.#statements.set(key, statement)
    return statement
  }
}
