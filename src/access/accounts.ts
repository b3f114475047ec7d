import { randomBytes } from 'node:crypto'
import { minPasswordLength, SettingsError, shortPassword } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import { Failure } from '../core/errors/errors.ts'
import type { Secret } from '../core/secrets/secret.ts'
import type { Clock } from '../core/time/clock.ts'
import { authenticate, checkPassword } from './authenticate.ts'
import { Groups } from './groups.ts'
import { LocalAccess } from './local-access.ts'
import type { Passwords } from './passwords.ts'
import { createPasswords } from './passwords.ts'
import type { Authenticated, PasswordCost, Session, StoredCredentials } from './records.ts'
import { Sessions } from './sessions.ts'
import { SharedThrottle } from './shared-throttle.ts'
import type { Throttle } from './throttle.ts'
import { MemoryThrottle } from './throttle.ts'
import { Tokens } from './tokens.ts'
import { Users } from './users.ts'

/** Dependencies of accounts. */
export interface AccountsDeps {
  database: Database
  clock: Clock
  /** Cost parameters of password hashes; default: the currently recommended ones. */
  passwordCost?: PasswordCost
}

/** User accounts and authentication. */
export class Accounts {
  readonly users: Users
  readonly groups: Groups
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** Access of commands that run the server in their own process. */
  readonly local: LocalAccess
  readonly #passwords: Passwords
  readonly #throttle: Throttle
  /** Set while the first user is being created: early requests wait for it. */
  #opening: Promise<void> | undefined

  constructor({ passwordCost, ...needs }: AccountsDeps) {
    this.#passwords = createPasswords(passwordCost)
    this.users = new Users({ ...needs, passwords: this.#passwords })
    this.groups = new Groups(needs)
    this.tokens = new Tokens(needs)
    this.sessions = new Sessions(needs)
    this.local = new LocalAccess(this.users)
    const { database, clock } = needs
    this.#throttle = database.kind === 'sqlite' ? new MemoryThrottle(clock) : new SharedThrottle(database)
  }

  /**
   * Returns the user of these credentials from an address. Wrong credentials are a `Failure`; an expired
   * session is anonymous.
   */
  async authenticate(credentials: StoredCredentials, address: string): Promise<Authenticated> {
    if (this.#opening !== undefined) await this.#opening
    return authenticate(this.#parts, credentials, address)
  }

  /** Starts a session for a user name and password; wrong ones are a `Failure`. */
  async logIn(given: { name: string; password: string }, address: string): Promise<Session & { id: string }> {
    if (this.#opening !== undefined) await this.#opening
    return this.sessions.start(
      await checkPassword(this.#parts.users, this.#parts.passwords, this.#parts.throttle, given, address),
    )
  }

  /**
   * Checks the current password of a signed-in user before a change for which a stolen session must not
   * suffice. Throws `Failure` (`forbidden`, `wrong-password`) for a wrong one; repeated failures are slowed
   * down as at a login.
   */
  async confirmPassword(given: { name: string; password: string }, address: string): Promise<void> {
    try {
      await checkPassword(this.#parts.users, this.#parts.passwords, this.#parts.throttle, given, address)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'wrong-credentials') throw error
      throw new Failure('forbidden', 'wrong-password', 'The current password is wrong')
    }
  }

  /**
   * Creates the user `admin` on a server without users. Without a configured password generates one and
   * passes it to `notice`, the only time it is visible. Throws `SettingsError` for a password that is too
   * short.
   */
  async ensureFirstUser(requested: Secret | undefined, notice: (text: string) => void): Promise<void> {
    const making = this.#makeFirstUser(requested, notice)
    this.#opening = making.catch(() => undefined)
    try {
      await making
    } finally {
      this.#opening = undefined
    }
  }

  async #makeFirstUser(requested: Secret | undefined, notice: (text: string) => void): Promise<void> {
    if ((await this.users.list()).length > 0) return
    if (requested !== undefined && requested.reveal().length < minPasswordLength)
      throw new SettingsError([`TERRANE_ADMIN_PASSWORD ${shortPassword}`])
    const password = requested?.reveal() ?? randomBytes(12).toString('base64url')
    await this.users.create({ name: 'admin', password, role: 'admin' })
    if (requested === undefined)
      notice(`Created the user "admin" with the password ${password} (it is shown only now)`)
  }

  get #parts() {
    const { users, tokens, sessions, local } = this
    return { users, tokens, sessions, local, passwords: this.#passwords, throttle: this.#throttle }
  }
}
