import type { Writable } from 'node:stream'
import type { Client, ClientBase, QueryResult, QueryResultRow } from 'pg'
import type { CopyStreamQuery, from } from 'pg-copy-streams'
import { statementFailure } from '../../core/postgres/errors.ts'
import { openConnection } from './connection.ts'
import type { ConnectionSettings } from './connection-settings.ts'

/**
 * Connections of one load. When `signal` aborts, or `abandon` is called, all are closed and their server
 * processes terminated, so that uncommitted changes are rolled back immediately. The caller must call
 * `close`.
 */
export class PostgisSession {
  readonly #settings: ConnectionSettings
  readonly #purpose: string
  readonly #signal: AbortSignal
  readonly #clients: Client[] = []
  readonly #processIds: number[] = []
  #ending: Promise<void> | undefined
  readonly #onAbort = (): void => {
    void this.abandon()
  }

  constructor(settings: ConnectionSettings, purpose: string, signal: AbortSignal) {
    this.#settings = settings
    this.#purpose = purpose
    this.#signal = signal
    signal.addEventListener('abort', this.#onAbort)
  }

  async connect(): Promise<Connection> {
    // Uses its default export, which also exists in the bundled server.
    const { default: copyStreams } = await import('pg-copy-streams')
    this.#signal.throwIfAborted()
    const client = await openConnection(this.#settings, this.#purpose)
    this.#clients.push(client)
    this.#processIds.push(processIdOf(client))
    this.#signal.throwIfAborted()
    return new Connection(client, copyStreams.from)
  }

  /** Also closes every connection if the signal of a step aborts. */
  async within<Result>(signal: AbortSignal, step: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted()
    signal.addEventListener('abort', this.#onAbort)
    try {
      return await step()
    } finally {
      signal.removeEventListener('abort', this.#onAbort)
    }
  }

  /** Closes every connection and waits until the server has ended their processes. */
  abandon(): Promise<void> {
    this.#ending ??= this.#cut()
    return this.#ending
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    await this.#ending
    const isCut = this.#ending !== undefined
    await Promise.all(this.#clients.map((client) => endClient(client, { isCut })))
  }

  async #cut(): Promise<void> {
    for (const client of this.#clients) client.connection.stream.destroy()
    await endProcesses(this.#settings, 'pid = any($1)', [this.#processIds]).catch(() => {})
  }
}

/** Ends a connection after flushing the statistics of the tables it wrote (PostgreSQL 15 and later). */
async function endClient(client: Client, { isCut }: { isCut: boolean }): Promise<void> {
  if (!isCut) await client.query('select pg_stat_force_next_flush()').catch(() => {})
  await client.end().catch(() => {})
}

/** Returns the server process id of a connection; 0 if unknown. */
export function processIdOf(client: ClientBase): number {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : 0
}

/** One connection of a session. Every error is a `Failure`, or an error that names the failed operation. */
export class Connection {
  readonly client: Client
  readonly #copyFrom: typeof from

  constructor(client: Client, copyFrom: typeof from) {
    this.client = client
    this.#copyFrom = copyFrom
  }

  async run<Row extends QueryResultRow = QueryResultRow>(
    doing: string,
    sql: string,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    try {
      return await this.client.query<Row>(sql, values)
    } catch (error) {
      throw statementFailure(error, doing)
    }
  }

  /** Starts a COPY from this process; `sql` ends in `from stdin (...)`. */
  copy(sql: string): CopyWriter {
    return new CopyWriter(this.client, this.#copyFrom(sql))
  }
}

/** Sends chunks of one COPY with back-pressure. `write` and `end` throw the error of the server. */
export class CopyWriter {
  readonly #stream: CopyStreamQuery
  readonly #socket: Writable
  #error: unknown
  #wake: (() => void) | undefined

  constructor(client: Client, copy: CopyStreamQuery) {
    this.#stream = client.query(copy)
    this.#socket = (client as Client & { connection: { stream: Writable } }).connection.stream
    const wake = (): void => this.#wake?.()
    this.#stream.on('error', (error) => {
      this.#error = error
      wake()
    })
    this.#stream.on('drain', wake)
    this.#stream.on('finish', wake)
  }

  /** Returns true if the chunk has left this process, so that its memory may be reused. */
  async write(chunk: Uint8Array): Promise<boolean> {
    this.#throwIfFailed()
    if (!this.#stream.write(chunk)) await this.#settled(() => this.#stream.writableNeedDrain)
    return this.#stream.writableLength === 0 && this.#socket.writableLength === 0
  }

  async end(lastChunk: Uint8Array): Promise<void> {
    this.#throwIfFailed()
    this.#stream.end(lastChunk)
    await this.#settled(() => !this.#stream.writableFinished)
  }

  async #settled(isPending: () => boolean): Promise<void> {
    while (this.#error === undefined && isPending()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#throwIfFailed()
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw statementFailure(this.#error, 'sending rows')
  }
}

/**
 * Terminates other server processes of the same user that match `condition` on `pg_stat_activity`, and waits
 * for their end.
 */
export async function endProcesses(
  settings: ConnectionSettings,
  condition: string,
  values: unknown[],
): Promise<void> {
  const client = await openConnection(settings, 'terrane')
  try {
    const where = `where usename = current_user and pid <> pg_backend_pid() and ${condition}`
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity ${where}`,
        values,
      )
      if (rowCount === 0) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await client.end().catch(() => {})
  }
}
