import type { ConnectionSettings } from '../connection-settings.ts'
import type { Connection } from '../session.ts'
import { Session } from '../session.ts'

/** Edits follow one another: what was opened stays open so long for the next. */
const keepMs = 5000
const mostIdle = 2

/** A connection for one edit; give it back by one of the two. */
export interface EditSession {
  connection: Connection
  /** It is good for the next one. */
  keep(): Promise<void>
  /** Cuts it: whatever was not committed is rolled back. */
  drop(): Promise<void>
}

interface Idle {
  session: Session
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

  /** A connection in a transaction of its own; one that broke while nobody used it is replaced. */
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
    const session = new Session(this.#settings, 'terrane', new AbortController().signal)
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

  #lend(session: Session, connection: Connection, signal: AbortSignal): EditSession {
    const onAbort = (): void => void session.abandon()
    signal.addEventListener('abort', onAbort, { once: true })
    const end = async (isSound: boolean): Promise<void> => {
      signal.removeEventListener('abort', onAbort)
      if (isSound && !signal.aborted && this.#idle.length < mostIdle && (await tellsCounts(connection))) {
        this.#idle.push({ session, connection, timer: this.#later(session) })
        return
      }
      if (!isSound || signal.aborted) await session.abandon()
      await session.close()
    }
    return { connection, keep: () => end(true), drop: () => end(false) }
  }

  #later(session: Session): NodeJS.Timeout {
    return setTimeout(() => {
      this.#idle = this.#idle.filter((one) => one.session !== session)
      void session.close()
    }, keepMs).unref()
  }
}

/** What was written is counted from now on, so that nobody takes it for a change by others later (PostgreSQL 15 and later). */
async function tellsCounts({ client }: Connection): Promise<boolean> {
  return client.query('select pg_stat_force_next_flush()').then(
    () => true,
    () => false,
  )
}
