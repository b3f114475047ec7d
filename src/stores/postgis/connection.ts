import type { Client, ClientBase } from 'pg'
import { Failure, invalid } from '../../lib/errors.ts'
import { connectClient } from '../../lib/postgres/client.ts'
import { connectionFailure } from '../../lib/postgres/errors.ts'
import type { ConnectionSettings } from './connection-settings.ts'

/**
 * Opens a connection whose times are UTC and whose search path holds PostGIS, wherever it is installed. Throws
 * `Failure` that says what is wrong. The caller ends it.
 */
export async function openConnection(settings: ConnectionSettings, purpose: string): Promise<Client> {
  const client = await connectClient(settings, purpose)
  try {
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
