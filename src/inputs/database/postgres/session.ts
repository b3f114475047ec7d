import type { Client } from 'pg'
import type { DatabaseAddress } from '../../../core/postgres/address.ts'
import { connectClient } from '../../../core/postgres/client.ts'
import { statementFailure } from '../../../core/postgres/errors.ts'
import type { DatabaseConnection } from '../database.ts'
import { prepareReading, statementMs } from './catalog.ts'

/** A read-only session. */
export interface ReadingSession {
  client: Client
  schema: string
  database: string
  hasPostgis: boolean
}

function addressOf(connection: DatabaseConnection): DatabaseAddress {
  const { host = '', port = 0, database, user = '', password = '', tls = 'disable' } = connection
  return { host, port, database, user, password, tls }
}

/**
 * Calls `work` with a session, which ends afterwards, and immediately when `signal` aborts. Every error is a
 * `Failure`, or an error that names the failed operation.
 */
export async function* withSession<T>(
  connection: DatabaseConnection,
  signal: AbortSignal,
  work: (session: ReadingSession) => AsyncIterable<T>,
): AsyncGenerator<T> {
  signal.throwIfAborted()
  const client = await connectClient(addressOf(connection), 'terrane_import', signal)
  const cut = (): void => {
    client.connection.stream.destroy()
  }
  signal.addEventListener('abort', cut, { once: true })
  try {
    signal.throwIfAborted()
    const hasPostgis = await prepareReading(client)
    const { database, schema = '' } = connection
    yield* work({ client, schema, database, hasPostgis })
  } catch (error) {
    signal.throwIfAborted()
    throw statementFailure(error, 'reading')
  } finally {
    signal.removeEventListener('abort', cut)
    await close(client)
  }
}

const closeMs = 500

/** A connection during a COPY does not end on request. */
async function close(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), closeMs)
  await client.end().catch(() => undefined)
  clearTimeout(timer)
}

/** Runs a statement with a timeout; undefined if it expires. */
export async function withinTime<T>(
  client: Client,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  await client.query(`set statement_timeout = ${milliseconds}`)
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '57014') return undefined
    throw error
  } finally {
    await client.query(`set statement_timeout = ${statementMs}`).catch(() => undefined)
  }
}
