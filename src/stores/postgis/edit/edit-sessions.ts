import type { ConnectionSettings } from '../connection-settings.ts'
import type { Connection } from '../session.ts'
import { PostgisSession } from '../session.ts'

/** Time for which connections are retained for the next edit, in milliseconds. */
const keepMs = 5000
const maxIdle = 2

/** A connection for one edit. The caller must end it by one of the two methods. */
export interface EditSession {
  connection: Connection
  /** Retains the connection for the next edit. */
  keep(): Promise<void>
  /** Closes the connection, which rolls back uncommitted changes. */
  drop(): Promise<void>
}

interface Idle {
  session: PostgisSession
  connection: Connection
  timer: NodeJS.Timeout
}

/** Connections for edits. */
export class EditSessions {
  readonly #settings: ConnectionSettings
  #idle: Idle[] = []

  constructor(settings: ConnectionSettings) {
    this.#settings = settings
  }

  /** Returns a connection in a new transaction; replaces a connection that broke while idle. */
  async begin(signal: AbortSignal): Promise<EditSession> {
    signal.throwIfAborted()
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      const begun = await idle.connection.client.query('begin').then(
        () => true,
        () => false,
      )
      if (begun) return this.#lend(idle.session, idle.connection, signal)
      await idle.session.abandon()
      await idle.session.close()
    }
    const session = new PostgisSession(this.#settings, 'terrane', new AbortController().signal)
    const connection = await session.connect()
    await connection.run('beginning an edit', 'begin')
    return this.#lend(session, connection, signal)
  }

  async close(): Promise<void> {
    const idle = this.#idle
    this.#idle = []
    for (const { timer } of idle) clearTimeout(timer)
    await Promise.all(idle.map(({ session }) => session.close()))
  }

  #lend(session: PostgisSession, connection: Connection, signal: AbortSignal): EditSession {
    const onAbort = (): void => void session.abandon()
    signal.addEventListener('abort', onAbort, { once: true })
    const end = async (isSound: boolean): Promise<void> => {
      signal.removeEventListener('abort', onAbort)
      if (isSound && !signal.aborted && this.#idle.length < maxIdle && (await tellsCounts(connection))) {
        this.#idle.push({ session, connection, timer: this.#later(session) })
        return
      }
      if (!isSound || signal.aborted) await session.abandon()
      await session.close()
    }
    return { connection, keep: () => end(true), drop: () => end(false) }
  }

  #later(session: PostgisSession): NodeJS.Timeout {
    return setTimeout(() => {
      this.#idle = this.#idle.filter((one) => one.session !== session)
      void session.close()
    }, keepMs).unref()
  }
}

/**
 * Flushes the statistics, so that the write is not mistaken for a foreign change later (PostgreSQL 15 and
 * later).
 */
async function tellsCounts({ client }: Connection): Promise<boolean> {
  return client.query('select pg_stat_force_next_flush()').then(
    () => true,
    () => false,
  )
}
