import type { Client, ClientBase } from 'pg'
import { Failure, invalid } from '../../core/errors/errors.ts'
import { connectClient } from '../../core/postgres/client.ts'
import { connectionFailure } from '../../core/postgres/errors.ts'
import type { ConnectionSettings } from './connection-settings.ts'

/**
 * Opens a connection with time zone UTC and PostGIS in its search path, whatever schema it is installed in.
 * Throws a `Failure` with the reason. The caller must end it.
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

/** Sets the session parameters that all code depends on; throws `Failure` if PostGIS is missing. */
export async function prepareSession(client: ClientBase, settings: ConnectionSettings): Promise<void> {
  const { rowCount } = await client.query(sessionSql)
  if (rowCount === 1) return
  throw invalid(
    'store-connection',
    `Database "${settings.database}" has no PostGIS: run "create extension postgis" in it`,
  )
}
