import type { Transaction } from 'kysely'
import { Kysely, PostgresDialect, SqliteDialect, SqliteAdapter as SqliteDialectAdapter, sql } from 'kysely'
import type { Pool } from 'pg'
import { plainReason } from '../errors/plain-reason.ts'
import type { Secret } from '../secrets/secret.ts'
import type { DatabaseKind } from './database-time.ts'
import { findOutage } from './errors.ts'
import { migrateToLatest } from './migrate.ts'
import { SqliteAdapter } from './sqlite-adapter.ts'
import type { Tables } from './tables.ts'

/** A connection or a transaction. Repositories take one as their first argument and use no other. */
export type Queryable = Kysely<Tables> | Transaction<Tables>

export interface Database {
  kind: DatabaseKind
  kysely: Kysely<Tables>
  /** Runs `work` in one transaction. Inside it use only its argument; the outer connection would deadlock. */
  transaction<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Runs short `work` while no other process that shares the database is inside `alone`. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /**
   * Number of statements started that may change data: while it is unchanged, data read since are current.
   * Undefined if other processes write too.
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
/** Terrane's statements take milliseconds; a server that does not respond for this long is unreachable. */
const queryTimeoutMs = 60_000

/**
 * A transaction that is idle for longer ends: its server is paused, or its connection is lost without notice, and it
 * would hold its locks against the servers that take over.
 */
const idleTransactionMs = 15_000

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
    // Sets parameters by a statement, since PgBouncer refuses unknown connection parameters. The pool waits
    // for the promise.
    onConnect: async (client) => {
      await client.query(`set idle_in_transaction_session_timeout = ${idleTransactionMs}`)
    },
    types: { getTypeParser },
  })
  // The pool replaces a connection that ends, idle or in use; its user gets the error from the statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** An arbitrary number that other programs in the same database are unlikely to use. */
const aloneLock = 1_953_656_173

/** The lock is released with the connection, however the process ends. */
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
  const address = `${hostname} port ${port === '' ? '5432' : port}`
  const text = `The catalogue database at ${address} (TERRANE_DATABASE_URL) cannot be reached: ${reason}. Start it, then start the server again`
  return new Error(text, { cause })
}

/** Opens the catalogue database and migrates its tables. */
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
