import type { ClientConfig } from 'pg'
import { Client } from 'pg'
import type { DatabaseAddress, TlsMode } from './address.ts'
import { connectionFailure } from './errors.ts'

/** Milliseconds that a connection may take to come about. */
const connectTimeoutMs = 5000

function tlsOptions(mode: TlsMode): NonNullable<ClientConfig['ssl']> {
  if (mode === 'disable') return false
  if (mode === 'require') return { rejectUnauthorized: false }
  return {
    rejectUnauthorized: true,
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

/** What `pg` needs to connect; `purpose` shows in `pg_stat_activity`. */
export function clientOptions(address: DatabaseAddress, purpose: string): ClientConfig {
  const { host, port, database, user, password } = address
  return {
    host,
    port,
    database,
    user,
    password,
    ssl: tlsOptions(address.tls ?? 'disable'),
    application_name: purpose,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }
}

/** Opens a connection, which the caller ends; throws `Failure` that says what is wrong. */
export async function connectClient(address: DatabaseAddress, purpose: string): Promise<Client> {
  const client = new Client(clientOptions(address, purpose))
  // A connection that breaks between two statements would end the process without a listener.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw connectionFailure(error, address)
  }
}
