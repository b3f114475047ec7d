import type { Client, ClientBase, ClientConfig } from 'pg'
import { ReachSocket } from '../network/reach.ts'
import type { DatabaseAddress, TlsMode } from './address.ts'
import { connectionFailure } from './errors.ts'

/** Time limit for connecting in milliseconds, also on a busy machine. */
const connectTimeoutMs = 8000
const answerTimeoutMs = 10_000

function tlsOptions(mode: TlsMode): NonNullable<ClientConfig['ssl']> {
  if (mode === 'disable') return false
  if (mode === 'require') return { rejectUnauthorized: false }
  return mode === 'verify-ca'
    ? { rejectUnauthorized: true, checkServerIdentity: () => undefined }
    : { rejectUnauthorized: true }
}

/** Returns connection options for `pg`; `purpose` appears in `pg_stat_activity`. */
export function clientOptions(address: DatabaseAddress, purpose: string): ClientConfig {
  const { host, port, database, user, password, reach } = address
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
    stream: reach === undefined ? undefined : () => new ReachSocket(reach),
  }
}

/** Throws if a server accepts the login and then does not respond; the caller ends the connection. */
export async function requireResponse(client: ClientBase, statement = 'select 1'): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    const text = 'It takes the login and then does not answer'
    timer = setTimeout(() => reject(new Error(text)), answerTimeoutMs)
  })
  try {
    await Promise.race([client.query(statement), silence])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Opens a connection, which the caller ends. Throws a `Failure` with the reason, or the signal's reason as
 * soon as it aborts before the server responds.
 */
export async function connectClient(
  address: DatabaseAddress,
  purpose: string,
  signal?: AbortSignal,
): Promise<Client> {
  const { GuardedClient } = await import('./guarded-client.ts')
  signal?.throwIfAborted()
  const client = new GuardedClient(clientOptions(address, purpose))
  const cut = (): void => {
    client.connection.stream.destroy()
  }
  signal?.addEventListener('abort', cut, { once: true })
  // A connection that breaks between two statements would end the process without a listener.
  client.on('error', () => {})
  try {
    await client.connect()
    // Removes a statement timeout of the administrator, which would abort loads.
    await requireResponse(client, 'set statement_timeout = 0')
    return client
  } catch (error) {
    await client.end().catch(() => {})
    signal?.throwIfAborted()
    throw connectionFailure(error, address)
  } finally {
    signal?.removeEventListener('abort', cut)
  }
}
