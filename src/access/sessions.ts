import type { Database } from '../core/db/connection.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Session, User } from './records.ts'
import { deleteSession, findSession, insertSession } from './session-repository.ts'

/** Logins of the web pages. */
export class Sessions {
  readonly #database: Database
  readonly #clock: Clock

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  /** Starts a session; its id is only for the cookie. */
  start(user: User): Promise<Session & { id: string }> {
    return insertSession(this.#database.kysely, user, this.#clock.now())
  }

  /** Returns undefined for an unknown or expired session. */
  find(id: string): Promise<Session | undefined> {
    return findSession(this.#database.kysely, id, this.#clock.now())
  }

  end(id: string): Promise<void> {
    return deleteSession(this.#database.kysely, id)
  }
}
