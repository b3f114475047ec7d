import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Client } from 'pg'
import type { Logger } from '../log/logger.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Database } from './connection.ts'

/**
 * Short messages between processes that share a PostgreSQL database. They are not stored: a process that is
 * not listening misses them, so a sender that needs an effect must check for it and send again.
 */
export interface Broadcast {
  /** Sends to every other process; never throws. Messages above 7,900 bytes of JSON are not sent. */
  tell(topic: string, body: object): void
  /**
   * Returns an expression that sends a message at the commit of the transaction whose statement computes it;
   * undefined if there are no other processes.
   */
  tellOnCommit(topic: string, body: object): RawBuilder<unknown> | undefined
  /** Registers a function that is called each time the connection has been lost and listens again. */
  onReconnect(listener: () => void): void
  /** Registers the listener for messages from other processes about a topic. */
  listen(topic: string, listener: (body: unknown) => void): void
  close(): Promise<void>
}

/** An embedded database has a single process, so there are no receivers. */
export const silence: Broadcast = {
  tell: () => undefined,
  tellOnCommit: () => undefined,
  onReconnect: () => undefined,
  listen: () => undefined,
  close: () => Promise.resolve(),
}

const channel = 'terrane'
/** Application name of the connection that each server keeps open to receive messages. */
const applicationName = 'terrane broadcast'
/** PostgreSQL accepts less than 8,000 bytes. */
const maxBytes = 7900
const reconnectMs = 1000
const timeoutMs = 10_000
/** Maximum number of waiting messages; further ones are dropped. */
const maxWaiting = 1000
/** Interval for checking that the connection is alive. */
const checkMs = 10_000

interface Envelope {
  from: string
  topic: string
  body: unknown
}

class PostgresBroadcast implements Broadcast {
  readonly #url: Secret
  readonly #log: Logger
  readonly #from = randomUUID()
  readonly #listeners = new Map<string, (body: unknown) => void>()
  readonly #reconnected: (() => void)[] = []
  readonly #closing = new AbortController()
  #client: Client | undefined
  #keeping: Promise<void> | undefined
  #checking: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(url: Secret, log: Logger) {
    this.#url = url
    this.#log = log
  }

  /** Resolves when the first connection listens; a lost one is replaced. */
  async open(): Promise<void> {
    const lost = await this.#connect()
    this.#keeping = this.#keep(lost)
    this.#checking = setInterval(() => this.#queue((client) => client.query('select 1')), checkMs).unref()
  }

  tell(topic: string, body: object): void {
    const text = JSON.stringify({ from: this.#from, topic, body } satisfies Envelope)
    if (this.#waiting >= maxWaiting || Buffer.byteLength(text) > maxBytes) return
    this.#queue((client) => client.query('select pg_notify($1, $2)', [channel, text]))
  }

  tellOnCommit(topic: string, body: object): RawBuilder<unknown> {
    const text = JSON.stringify({ from: this.#from, topic, body } satisfies Envelope)
    return sql`pg_notify(${channel}, ${text})`
  }

  onReconnect(listener: () => void): void {
    this.#reconnected.push(listener)
  }

  listen(topic: string, listener: (body: unknown) => void): void {
    this.#listeners.set(topic, listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#checking)
    await this.#sending
    await this.#client?.end().catch(() => undefined)
    await this.#keeping
  }

  /** Returns a promise that resolves when the connection ends. */
  async #connect(): Promise<{ lost: Promise<void> }> {
    const { Client } = await import('pg')
    const client = new Client({
      connectionString: this.#url.reveal(),
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      application_name: applicationName,
    })
    const lost = new Promise<void>((resolve) => {
      client.once('end', resolve)
      client.on('error', () => resolve())
    })
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    this.#client = client
    return { lost }
  }

  async #keep(first: { lost: Promise<void> }): Promise<void> {
    const { signal } = this.#closing
    let connection = first
    for (;;) {
      await connection.lost
      this.#client = undefined
      const again = await this.#reconnect(signal)
      if (again === undefined) return
      connection = again
      for (const listener of this.#reconnected) listener()
    }
  }

  async #reconnect(signal: AbortSignal): Promise<{ lost: Promise<void> } | undefined> {
    while (!signal.aborted) {
      try {
        await delay(reconnectMs, undefined, { signal })
        const connection = await this.#connect()
        if (signal.aborted) await this.#client?.end().catch(() => undefined)
        return signal.aborted ? undefined : connection
      } catch (error) {
        if (!signal.aborted) this.#log.warn({ err: error }, 'other processes are not heard')
      }
    }
    return undefined
  }

  /** Runs statements in sequence; a connection that does not respond is closed and replaced. */
  #queue(work: (client: Client) => Promise<unknown>): void {
    this.#waiting += 1
    this.#sending = this.#sending.then(async () => {
      this.#waiting -= 1
      const client = this.#client
      if (client === undefined) return
      try {
        await work(client)
      } catch (error) {
        this.#log.debug({ err: error }, 'other processes were not told')
        await client.end().catch(() => undefined)
      }
    })
  }

  #hear(payload: string): void {
    try {
      const { from, topic, body } = JSON.parse(payload) as Envelope
      if (from !== this.#from) this.#listeners.get(topic)?.(body)
    } catch (error) {
      this.#log.warn({ err: error }, 'a message of another process was not understood')
    }
  }
}

/** Opens the listening connection, in addition to those of the pool. */
export async function openBroadcast(url: Secret, log: Logger): Promise<Broadcast> {
  const broadcast = new PostgresBroadcast(url, log)
  await broadcast.open()
  return broadcast
}

/** True if another server is listening on the database. */
export async function isSharedWithOthers({ kind, kysely }: Database): Promise<boolean> {
  if (kind === 'sqlite') return false
  const { rows } = await sql<{ servers: number }>`
    select count(*) as servers from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName}`.execute(kysely)
  return Number(rows[0]?.servers ?? 0) > 1
}
