import type { Database } from '../core/db/connection.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Session, User } from './records.ts'
import type { ListedSession, SessionOrigin } from './session-repository.ts'
import {
  deleteListedSession,
  deleteSession,
  findProviderToken,
  findSession,
  insertSession,
  listSessions,
} from './session-repository.ts'

/** Logins of the web pages. */
export class Sessions {
  readonly #database: Database
  readonly #clock: Clock

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  /** Starts a session; its id is only for the cookie. */
  start(user: User, origin: SessionOrigin): Promise<Session & { id: string }> {
    return insertSession(this.#database.kysely, user, origin, this.#clock.now())
  }

  /** Lists active sessions of a user, the newest first. */
  list(userName: string): Promise<ListedSession[]> {
    return listSessions(this.#database.kysely, userName, this.#clock.now().toISOString())
  }

  /** Ends a session by its listed id. Returns true if the user had it. */
  endListed(userName: string, id: string): Promise<boolean> {
    return deleteListedSession(this.#database.kysely, userName, id)
  }

  /** Returns the encrypted ID token of a session. */
  providerToken(id: string): Promise<string | undefined> {
    return findProviderToken(this.#database.kysely, id)
  }

  /** Returns undefined for an unknown or expired session. */
  find(id: string): Promise<Session | undefined> {
    return findSession(this.#database.kysely, id, this.#clock.now())
  }

  end(id: string): Promise<void> {
    return deleteSession(this.#database.kysely, id)
  }
}
