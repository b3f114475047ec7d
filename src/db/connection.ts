import type { Transaction } from 'kysely'
import { Kysely, PostgresDialect, SqliteDialect, SqliteAdapter as SqliteDialectAdapter, sql } from 'kysely'
import type { Pool } from 'pg'
import { plainReason } from '../lib/plain-reason.ts'
import type { Secret } from '../lib/secrets/secret.ts'
import { findOutage } from './errors.ts'
import { migrateToLatest } from './migrate.ts'
import { SqliteAdapter } from './sqlite-adapter.ts'
import type { Tables } from './tables.ts'

type DatabaseKind = 'sqlite' | 'postgres'

/** A connection or a transaction: repositories take one as their first argument and never reach for another. */
export type Queryable = Kysely<Tables> | Transaction<Tables>

export interface Database {
  kind: DatabaseKind
  kysely: Kysely<Tables>
  /** Runs `work` in one transaction; inside it use only what it is given, the outer connection would wait for ever. */
  transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Runs short `work` while no other process that shares the database is inside `alone`. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /**
   * How many statements that may change something have begun: while it stays, so does what was read since. Undefined where
   * others write too.
   */
  writes(): number | undefined
  close(): Promise<void>
}

export type DatabaseSettings = { path: string } | { url: Secret }

class TransactionalDdlAdapter extends SqliteDialectAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteDialectAdapter {
    return new TransactionalDdlAdapter()
  }
}

const int8 = 20
/** Our own statements take milliseconds; a server that says nothing for so long is gone. */
const queryTimeoutMs = 60_000

async function postgresPool(url: string): Promise<Pool> {
  const { default: pg } = await import('pg')
  const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text')
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'terrane',
    max: 10,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    types: { getTypeParser },
  })
  // A connection that ends, idle or on loan, is replaced by the pool; who uses it gets the error from the statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Any number that other programs in one database hardly use. */
const aloneLock = 1_953_656_173

/** The lock goes with the connection, however the process ends. */
function aloneInPostgres<T>(kysely: Kysely<Tables>, work: () => Promise<T>): Promise<T> {
  return kysely.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${aloneLock})`.execute(connection)
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(${aloneLock})`.execute(connection)
    }
  })
}

function urlOf(settings: DatabaseSettings): string {
  return 'url' in settings ? settings.url.reveal() : ''
}

function cannotOpen(settings: DatabaseSettings, reason: string, cause: unknown): Error {
  if ('path' in settings)
    return new Error(`The catalogue database ${settings.path} cannot be opened: ${reason}`, { cause })
  const { hostname, port } = new URL(settings.url.reveal())
  const place = `${hostname} port ${port === '' ? '5432' : port}`
  const text = `The catalogue database at ${place} (TERRANE_DATABASE_URL) cannot be reached: ${reason}. Start it, then start the server again`
  return new Error(text, { cause })
}

/** Opens our own database and brings its tables up to date. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const isEmbedded = 'path' in settings
  const sqlite = isEmbedded ? new SqliteAdapter(settings.path) : undefined
  const dialect =
    sqlite !== undefined
      ? new NodeSqliteDialect({ database: sqlite })
      : new PostgresDialect({ pool: await postgresPool(urlOf(settings)) })
  const kysely = new Kysely<Tables>({ dialect })
  const database: Database = {
    kind: isEmbedded ? 'sqlite' : 'postgres',
    kysely,
    transaction: (work) => kysely.transaction().execute(work),
    alone: (work) => (isEmbedded ? work() : aloneInPostgres(kysely, work)),
    writes: () => sqlite?.writes,
    close: () => kysely.destroy(),
  }
  try {
    await migrateToLatest(kysely, isEmbedded)
  } catch (error) {
    await kysely.destroy()
    const reason = findOutage(error) === undefined ? undefined : plainReason(error)
    throw reason === undefined ? error : cannotOpen(settings, reason, error)
  }
  return database
}
