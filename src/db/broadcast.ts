import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Client } from 'pg'
import type { Logger } from '../lib/logger.ts'
import type { Secret } from '../lib/secrets/secret.ts'
import type { Database } from './connection.ts'

/**
 * Short messages between the processes that share our PostgreSQL. They are kept nowhere: who does not listen at that
 * moment misses them, so whoever needs an effect looks for it and tells again.
 */
export interface Broadcast {
  /** Tells every other process; never throws. What has more than 7,900 bytes as JSON is not told. */
  tell(topic: string, body: object): void
  /** Hears what other processes tell. */
  listen(topic: string, listener: (body: unknown) => void): void
  close(): Promise<void>
}

/** An embedded database has one process, which nobody else hears. */
export const silence: Broadcast = {
  tell: () => undefined,
  listen: () => undefined,
  close: () => Promise.resolve(),
}

const channel = 'terrane'
/** Of the connection that each server keeps open to hear the others. */
const applicationName = 'terrane broadcast'
/** PostgreSQL takes less than 8,000 bytes. */
const maxBytes = 7900
const reconnectMs = 1000
const timeoutMs = 10_000
/** More messages that wait to be sent are dropped. */
const maxWaiting = 1000
/** How often it is made sure that the connection lives. */
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

  /** Ends when the first connection listens; a lost one is made anew. */
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

  /** Gives a promise that ends with the connection. */
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

  /** One statement after the other; a connection that does not answer is given up, which makes a new one. */
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

/** Opens the connection that listens, beside those of the pool. */
export async function openBroadcast(url: Secret, log: Logger): Promise<Broadcast> {
  const broadcast = new PostgresBroadcast(url, log)
  await broadcast.open()
  return broadcast
}

/** Whether another server listens at the database now. */
export async function isSharedWithOthers({ kind, kysely }: Database): Promise<boolean> {
  if (kind === 'sqlite') return false
  const { rows } = await sql<{ servers: number }>`
    select count(*) as servers from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName}`.execute(kysely)
  return Number(rows[0]?.servers ?? 0) > 1
}
