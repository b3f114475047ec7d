import type { ClientConfig } from 'pg'
import { Client } from 'pg'
import { connectionFailure } from './errors.ts'

/**
 * Whether the connection is encrypted, as PostgreSQL's `sslmode` has it: without a look at the certificate
 * (`require`), with a look at who signed it, or also at the name in it.
 */
export const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof tlsModes)[number]

/** Modes of PostgreSQL and GeoServer; `allow` and `prefer` encrypt nothing, since they promise nothing. */
const tlsByName: Record<string, TlsMode> = {
  disable: 'disable',
  allow: 'disable',
  prefer: 'disable',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
}

/** What a mode may be called; any letter case, `_` for `-`. */
export const tlsNames: readonly string[] = Object.keys(tlsByName)

export function findTlsMode(name: string): TlsMode | undefined {
  return tlsByName[name.toLowerCase().replaceAll('_', '-')]
}

/** Where a database is and who asks; plain data that holds a secret and is never logged or shown. */
export interface DatabaseAddress {
  host: string
  port: number
  database: string
  user: string
  password: string
  /** Default: `disable`. */
  tls?: TlsMode
}

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
