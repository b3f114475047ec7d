import { randomBytes } from 'node:crypto'
import { minPasswordLength, shortPassword } from '../config/passwords.ts'
import { SettingsError } from '../config/settings.ts'
import type { Database } from '../db/connection.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/errors.ts'
import type { Secret } from '../lib/secrets/secret.ts'
import { authenticate, checkPassword } from './authenticate.ts'
import { LocalAccess } from './local-access.ts'
import type { Passwords } from './passwords.ts'
import { createPasswords } from './passwords.ts'
import type { Authenticated, Credentials, PasswordCost, Session } from './records.ts'
import { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'
import { createThrottle } from './throttle.ts'
import { Tokens } from './tokens.ts'
import { Users } from './users.ts'

/** What accounts work with. */
export interface AccountsNeeds {
  database: Database
  clock: Clock
  /** What hashing a password costs; default: what is advised today. */
  passwordCost?: PasswordCost
}

/** Who may use the server, and how they prove who they are. */
export class Accounts {
  readonly users: Users
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** Access of commands that run the server in their own process. */
  readonly local: LocalAccess
  readonly #passwords: Passwords
  readonly #throttle: Throttle
  /** While the first user is being made, whoever comes early waits for it. */
  #opening: Promise<void> | undefined

  constructor({ passwordCost, ...needs }: AccountsNeeds) {
    this.#passwords = createPasswords(passwordCost)
    this.users = new Users({ ...needs, passwords: this.#passwords })
    this.tokens = new Tokens(needs)
    this.sessions = new Sessions(needs)
    this.local = new LocalAccess(this.users)
    this.#throttle = createThrottle(needs.clock)
  }

  /** Who gives these credentials from an address; wrong ones are a `Failure`, a session that ended is nobody. */
  async authenticate(credentials: Credentials, address: string): Promise<Authenticated> {
    if (this.#opening !== undefined) await this.#opening
    return authenticate(this.#parts, credentials, address)
  }

  /** Starts a session for who gives a name and its password; wrong ones are a `Failure`. */
  async logIn(given: { name: string; password: string }, address: string): Promise<Session & { id: string }> {
    if (this.#opening !== undefined) await this.#opening
    return this.sessions.start(await checkPassword(this.#parts, given, address))
  }

  /**
   * Checks the current password of a signed-in user before a change that a stolen session must not be enough for. Throws
   * `Failure` (`forbidden`, `wrong-password`) for a wrong one; repeated failures are slowed down as at a login.
   */
  async confirmPassword(given: { name: string; password: string }, address: string): Promise<void> {
    try {
      await checkPassword(this.#parts, given, address)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'wrong-credentials') throw error
      throw new Failure('forbidden', 'wrong-password', 'The current password is wrong')
    }
  }

  /**
   * Gives a server without users the user `admin`. Without a password to use, one is made and handed to `notice`, the
   * only time it is seen. Throws `SettingsError` for a password that is too short.
   */
  async ensureFirstUser(wanted: Secret | undefined, notice: (text: string) => void): Promise<void> {
    const making = this.#makeFirstUser(wanted, notice)
    this.#opening = making.catch(() => undefined)
    try {
      await making
    } finally {
      this.#opening = undefined
    }
  }

  async #makeFirstUser(wanted: Secret | undefined, notice: (text: string) => void): Promise<void> {
    if ((await this.users.list()).length > 0) return
    if (wanted !== undefined && wanted.reveal().length < minPasswordLength)
      throw new SettingsError([`TERRANE_ADMIN_PASSWORD ${shortPassword}`])
    const password = wanted?.reveal() ?? randomBytes(12).toString('base64url')
    await this.users.create({ name: 'admin', password, role: 'admin' })
    if (wanted === undefined)
      notice(`Created the user "admin" with the password ${password} (it is shown only now)`)
  }

  get #parts() {
    const { users, tokens, sessions, local } = this
    return { users, tokens, sessions, local, passwords: this.#passwords, throttle: this.#throttle }
  }
}
