import { randomBytes } from 'node:crypto'
import { minPasswordLength, SettingsError, shortPassword } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import { Failure } from '../core/errors/errors.ts'
import type { Secret } from '../core/secrets/secret.ts'
import type { Vault } from '../core/secrets/vault.ts'
import type { Clock } from '../core/time/clock.ts'
import { authenticate, checkPassword } from './authenticate.ts'
import { Groups } from './groups.ts'
import { LocalAccess } from './local-access.ts'
import { requireStrength } from './password-strength.ts'
import type { Passwords } from './passwords.ts'
import { createPasswords } from './passwords.ts'
import { findIdentity } from './providers/identity-repository.ts'
import type { LoggedOut, OidcSignIn } from './providers/oidc-provider.ts'
import type { OpenedProviders, ProviderSettings } from './providers/sign-in-providers.ts'
import { SignInProviders } from './providers/sign-in-providers.ts'
import type { Authenticated, PasswordCost, Session, StoredCredentials } from './records.ts'
import { Passkeys } from './second-factors/passkeys.ts'
import { SecondFactors } from './second-factors/second-factors.ts'
import { deleteByProviderSession, deleteProviderSessions } from './session-repository.ts'
import { Sessions } from './sessions.ts'
import { SharedThrottle } from './shared-throttle.ts'
import type { Throttle } from './throttle.ts'
import { MemoryThrottle } from './throttle.ts'
import { Tokens } from './tokens.ts'
import { Transactions } from './transactions.ts'
import { Users } from './users.ts'

const noProviders: ProviderSettings = { oidc: undefined, ldap: undefined, header: undefined }

/** Dependencies of accounts. */
export interface AccountsDeps {
  database: Database
  clock: Clock
  /** Encrypts secrets of second factors and providers. */
  vault: Vault
  /** Cost parameters of password hashes; default: the currently recommended ones. */
  passwordCost?: PasswordCost
  /** Sign-in providers, and the minimum strength of passwords; default: none. */
  settings?: ProviderSettings & Partial<PasswordRules>
  /** Those of the settings, opened by `openProviders`; default: none. */
  providers?: OpenedProviders
}

/** Minimum zxcvbn scores of passwords. */
export interface PasswordRules {
  /** Of passwords that users give themselves. */
  passwordStrength: number
  /** Of passwords that administrators set. */
  setPasswordStrength: number
}

/** A sign-in on the pages. */
export interface SignInOrigin {
  address: string
  agent: string | undefined
}

/** User accounts and authentication. */
export class Accounts {
  readonly users: Users
  readonly groups: Groups
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** Access of commands that run the server in their own process. */
  readonly local: LocalAccess
  readonly providers: SignInProviders
  /** One-time codes. */
  readonly factors: SecondFactors
  readonly passkeys: Passkeys
  readonly transactions: Transactions
  readonly #passwords: Passwords
  readonly #throttle: Throttle
  readonly #vault: Vault
  readonly #database: Database
  readonly #rules: PasswordRules
  /** Set while the first user is being created: early requests wait for it. */
  #opening: Promise<void> | undefined

  constructor({ passwordCost, settings = noProviders, providers: opened = {}, ...needs }: AccountsDeps) {
    this.#passwords = createPasswords(passwordCost)
    this.users = new Users({ ...needs, passwords: this.#passwords })
    this.groups = new Groups(needs)
    this.tokens = new Tokens(needs)
    this.sessions = new Sessions(needs)
    this.local = new LocalAccess(this.users)
    const { database, clock } = needs
    this.#throttle = database.kind === 'sqlite' ? new MemoryThrottle(clock) : new SharedThrottle(database)
    this.#vault = needs.vault
    this.#database = needs.database
    const { passwordStrength = 0, setPasswordStrength = 0 } = settings
    this.#rules = { passwordStrength, setPasswordStrength }
    this.providers = new SignInProviders({
      ...needs,
      settings,
      opened,
      groups: this.groups,
      users: this.users,
    })
    this.factors = new SecondFactors({ ...needs, throttle: this.#throttle })
    this.passkeys = new Passkeys(needs)
    this.transactions = new Transactions(needs)
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
  async logIn(
    { code, ...given }: { name: string; password: string; code?: string | undefined },
    origin: SignInOrigin,
  ): Promise<Session & { id: string }> {
    if (this.#opening !== undefined) await this.#opening
    const { user, via } = await checkPassword(this.#parts, given, origin.address)
    if (via === 'password') await this.factors.require(user.name, code, origin.address)
    return this.sessions.start(user, { ...origin, via })
  }

  /** Starts a session for an account that the OpenID Connect provider has authenticated. */
  async logInByOidc(signIn: OidcSignIn, origin: SignInOrigin): Promise<Session & { id: string }> {
    const user = await this.providers.admit(signIn.account, signIn.refreshToken)
    return this.sessions.start(user, {
      ...origin,
      via: 'oidc',
      providerSession: signIn.session,
      providerToken: this.#vault.seal(signIn.idToken),
    })
  }

  /** Starts a session for a user who has proven a passkey. */
  async logInByPasskey(userName: string, origin: SignInOrigin): Promise<Session & { id: string }> {
    const user = await this.users.get(userName)
    if (!user.isEnabled)
      throw new Failure('unauthenticated', 'user-switched-off', `User "${userName}" is switched off`)
    return this.sessions.start(user, { ...origin, via: 'password' })
  }

  /** Ends the sessions of a back-channel logout. Returns the names of their users. */
  async endByProvider({ session, subject }: LoggedOut, provider: string): Promise<string[]> {
    const db = this.#database.kysely
    if (session !== undefined) return deleteByProviderSession(db, session)
    const identity = await findIdentity(db, { provider, subject: subject ?? '' })
    if (identity === undefined) return []
    await deleteProviderSessions(db, identity.userName)
    return [identity.userName]
  }

  /** Returns the ID token of a session that the OpenID Connect provider started. */
  async idTokenOf(sessionId: string): Promise<string | undefined> {
    const sealed = await this.sessions.providerToken(sessionId)
    if (sealed === undefined) return undefined
    try {
      return this.#vault.open(sealed)
    } catch {
      // The key has changed since, so the logout request has no hint.
      return undefined
    }
  }

  /** Throws `Failure` (`weak-password`) for a password that is too easy to guess. */
  requireStrength(password: string, { name, isOwn }: { name: string; isOwn: boolean }): Promise<void> {
    return requireStrength(password, isOwn ? this.#rules.passwordStrength : this.#rules.setPasswordStrength, [
      name,
    ])
  }

  /**
   * Checks the current password of a signed-in user before a change for which a stolen session must not
   * suffice. Throws `Failure` (`forbidden`, `wrong-password`) for a wrong one; repeated failures are slowed
   * down as at a login.
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
    const { users, tokens, sessions, local, providers, factors } = this
    const own = { passwords: this.#passwords, throttle: this.#throttle }
    return { users, tokens, sessions, local, providers, factors, ...own }
  }
}
