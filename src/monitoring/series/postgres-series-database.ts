import { finished, pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { toCopyText } from './copy-text.ts'
import type { Migration } from './schema.ts'
import { migrationsFrom } from './schema.ts'
import type { SeriesDatabase, SeriesDatabaseOptions, SqlValue, TakeNumbers } from './series-database.ts'

const signatureBytes = 11
const isNull = -1
const isEnd = -1

/** Parses PostgreSQL's binary COPY format with `float8` columns to numbers, row by row, null as NaN. */
function readBinaryCopy(bytes: Uint8Array, columnCount: number): Float64Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rowBytes = 2 + columnCount * 4
  const numbers = new Float64Array(Math.ceil(bytes.byteLength / rowBytes) * columnCount)
  let at = signatureBytes + 8 + view.getInt32(signatureBytes + 4)
  let count = 0
  while (view.getInt16(at) !== isEnd) {
    at += 2
    for (let column = 0; column < columnCount; column += 1) {
      const isAbsent = view.getInt32(at) === isNull
      at += 4
      numbers[count] = isAbsent ? Number.NaN : view.getFloat64(at)
      if (!isAbsent) at += 8
      count += 1
    }
  }
  return numbers.subarray(0, count)
}

/** Arbitrary lock number that other programs in the same database are unlikely to use. */
const writerLock = 1_953_656_174
const maxParameters = 60_000
const fewestToCopy = 30
const rowsPerChunk = 1000
const versionName = 'schema_version'
const int8 = 20

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text')

type Client = pg.Pool | pg.PoolClient

/** The series in PostgreSQL, in the database of the catalogue. */
export class PostgresSeriesDatabase implements SeriesDatabase {
  readonly kind = 'postgres'
  readonly #pool: pg.Pool
  readonly #client: Client

  private constructor(pool: pg.Pool, client: Client = pool) {
    this.#pool = pool
    this.#client = client
  }

  /** Connects, and creates missing tables. */
  static async open(
    url: string,
    { isReader = false }: SeriesDatabaseOptions = {},
  ): Promise<PostgresSeriesDatabase> {
    const pool = new pg.Pool({
      connectionString: url,
      application_name: 'terrane',
      max: isReader ? 1 : 3,
      connectionTimeoutMillis: 10_000,
      query_timeout: isReader ? undefined : 60_000,
      keepAlive: true,
      types: { getTypeParser },
    })
    // The pool replaces a broken connection; its user gets the error from the statement.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    const database = new PostgresSeriesDatabase(pool)
    try {
      // A reader does not wait for the lock of the writer.
      if (!isReader || (await migrationsLeft(database)).length > 0) await database.transaction(migrate)
    } catch (error) {
      await pool.end()
      throw error
    }
    return database
  }

  async all<T>(sql: string, values: readonly SqlValue[] = []): Promise<T[]> {
    return (await this.#client.query({ text: numbered(sql), values: [...values] })).rows
  }

  async arrays(sql: string, values: readonly SqlValue[] = []): Promise<SqlValue[][]> {
    return (await this.#client.query({ text: numbered(sql), values: [...values], rowMode: 'array' })).rows
  }

  async numbers(sql: string, columns: readonly string[], take: TakeNumbers): Promise<void> {
    const client = this.#client
    if (client instanceof pg.Pool) return this.snapshot((database) => database.numbers(sql, columns, take))
    const selected = columns.map((name) => `${name}::float8`).join(',')
    const stream = client.query(
      copyTo(`copy (select ${selected} from (${sql}) as q) to stdout (format binary)`),
    )
    const chunks: Uint8Array[] = []
    // The stream emits a chunk for each row. Awaiting each of them would take longer than the query.
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    try {
      await finished(stream)
    } finally {
      endTimeLimit(stream)
    }
    const numbers = readBinaryCopy(Buffer.concat(chunks), columns.length)
    if (numbers.length > 0) take(numbers)
  }

  async run(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#client.query({ text: numbered(sql), values: [...values] })).rowCount ?? 0
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict = '',
  ): Promise<void> {
    const client = this.#client
    if (rows.length >= fewestToCopy && conflict === '' && !(client instanceof pg.Pool))
      return copyRows(client, `copy ${table} (${columns.join(',')}) from stdin`, rows)
    const perStatement = Math.floor(maxParameters / columns.length)
    for (let start = 0; start < rows.length; start += perStatement) {
      const part = rows.slice(start, start + perStatement)
      const placeholders = part.map(() => `(${columns.map(() => '?').join(',')})`).join(',')
      await this.run(
        `insert into ${table} (${columns.join(',')}) values ${placeholders} ${conflict}`,
        part.flat(),
      )
    }
  }

  async transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    if (!(this.#client instanceof pg.Pool)) return work(this)
    return this.#inside('begin', async (database) => {
      await database.all('select pg_advisory_xact_lock(?)', [writerLock])
      return work(database)
    })
  }

  async snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    if (!(this.#client instanceof pg.Pool)) return work(this)
    return this.#inside('begin isolation level repeatable read read only', work)
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  async #inside<T>(begin: string, work: (database: SeriesDatabase) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    try {
      await client.query(begin)
      const result = await work(new PostgresSeriesDatabase(this.#pool, client))
      await client.query('commit')
      client.release()
      return result
    } catch (error) {
      await client.query('rollback').then(
        () => client.release(),
        (broken) => client.release(broken),
      )
      throw error
    }
  }
}

/** The driver's query time limit ends in its callback, which a COPY does not call. */
function endTimeLimit(query: object): void {
  if ('callback' in query && typeof query.callback === 'function') query.callback()
}

/** Inserts rows by COPY, which is faster than statements with many values. */
async function copyRows(
  client: pg.PoolClient,
  sql: string,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const stream = client.query(copyFrom(sql))
  try {
    await pipeline(copyChunks(rows), stream)
  } finally {
    endTimeLimit(stream)
  }
}

function* copyChunks(rows: readonly (readonly SqlValue[])[]): Generator<string> {
  for (let start = 0; start < rows.length; start += rowsPerChunk)
    yield toCopyText(rows.slice(start, start + rowsPerChunk))
}

/** Creates the tables, or updates those of an earlier version. */
async function migrate(database: SeriesDatabase): Promise<void> {
  for (const { number, statements } of await migrationsLeft(database)) {
    for (const sql of statements) await database.run(sql)
    await database.run(
      `insert into monitoring_state (name, value) values (?, ?)
       on conflict (name) do update set value = excluded.value`,
      [versionName, number],
    )
  }
}

async function migrationsLeft(database: SeriesDatabase): Promise<Migration[]> {
  const [found] = await database.arrays("select to_regclass('monitoring_state')::text")
  const rows =
    found?.[0] == null
      ? []
      : await database.arrays('select value from monitoring_state where name = ?', [versionName])
  return migrationsFrom('postgres', Number(rows[0]?.[0] ?? 0))
}

/** Replaces `?` by `$1`, `$2` and so on. Statements must not contain question marks in literals. */
function numbered(sql: string): string {
  let count = 0
  return sql.replace(/\?/g, () => {
    count += 1
    return `$${count}`
  })
}
