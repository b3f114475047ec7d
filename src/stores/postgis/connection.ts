import type { ClientBase, ClientConfig } from 'pg'
import { Client } from 'pg'
import { Failure, invalid } from '../../lib/errors.ts'
import type { StoreParameters } from '../store.ts'
import { connectionFailure } from './errors.ts'

export interface ConnectionSettings {
  host: string
  port: number
  database: string
  schema: string
  user: string
  password: string
}

/** Milliseconds that a connection may take to come about. */
const connectTimeoutMs = 5000

/** The settings in the parameters of a PostGIS store; throws `Failure` (`invalid`) that names what is missing. */
export function parseConnectionSettings(parameters: StoreParameters): ConnectionSettings {
  const text = (name: string, fallback: string): string => parameters[name]?.trim() || fallback
  const port = text('port', '5432')
  const settings = {
    host: text('host', 'localhost'),
    port: Number(port),
    database: text('database', ''),
    schema: text('schema', 'public'),
    user: text('user', ''),
    password: parameters['passwd'] ?? '',
  }
  const problems: string[] = []
  if (settings.database === '') problems.push('The parameter "database" is missing')
  if (settings.user === '') problems.push('The parameter "user" is missing')
  if (!/^\d{1,5}$/.test(port) || settings.port < 1 || settings.port > 65535) {
    problems.push(`The parameter "port" is "${port}", not a number from 1 to 65535`)
  }
  if (problems.length > 0) throw invalid('store-connection', problems.join('; '), { errors: problems })
  return settings
}

/** What `pg` needs to connect; `purpose` shows in `pg_stat_activity`. */
export function clientOptions(settings: ConnectionSettings, purpose: string): ClientConfig {
  const { host, port, database, user, password } = settings
  return {
    host,
    port,
    database,
    user,
    password,
    application_name: purpose,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }
}

/**
 * Opens a connection whose times are UTC and whose search path holds PostGIS, wherever it is installed. Throws
 * `Failure` that says what is wrong. The caller ends it.
 */
export async function openConnection(settings: ConnectionSettings, purpose: string): Promise<Client> {
  const client = new Client(clientOptions(settings, purpose))
  // A connection that breaks between two statements would end the process without a listener.
  client.on('error', () => {})
  try {
    await client.connect()
    await prepareSession(client, settings)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error instanceof Failure ? error : connectionFailure(error, settings)
  }
}

const sessionSql = `
select set_config('search_path', quote_ident(nspname) || ', public', false), set_config('timezone', 'UTC', false),
  set_config('datestyle', 'ISO', false), set_config('extra_float_digits', '1', false)
from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'postgis'`

/** Sets what every session here relies on; throws `Failure` where PostGIS is missing. */
export async function prepareSession(client: ClientBase, settings: ConnectionSettings): Promise<void> {
  const { rowCount } = await client.query(sessionSql)
  if (rowCount === 1) return
  throw invalid(
    'store-connection',
    `Database "${settings.database}" has no PostGIS: run "create extension postgis" in it`,
  )
}
