import { createHmac, randomBytes } from 'node:crypto'
import type { AccessSettings } from '../../core/config/access-settings.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { HeaderAccount, User } from '../records.ts'
import type { Users } from '../users.ts'
import type { AccountRules, ProviderAccount } from './account.ts'
import type { ExternalAccountsDeps } from './external-accounts.ts'
import { ExternalAccounts } from './external-accounts.ts'
import type { LdapDirectory } from './ldap-directory.ts'
import type { OidcProvider } from './oidc-provider.ts'

export type ProviderSettings = Pick<AccessSettings, 'oidc' | 'ldap' | 'header'>

/** Providers that are asked over the network. */
export interface OpenedProviders {
  oidc?: OidcProvider | undefined
  ldap?: LdapDirectory | undefined
}

/** Opens the providers of the settings. Their packages are loaded only for configured ones. */
export async function openProviders(
  { oidc, ldap }: Pick<ProviderSettings, 'oidc' | 'ldap'>,
  clock: Clock,
): Promise<OpenedProviders> {
  return {
    oidc: oidc && new (await import('./oidc-provider.ts')).OidcProvider(oidc, clock),
    ldap: ldap && new (await import('./ldap-directory.ts')).LdapDirectory(ldap),
  }
}

export interface SignInProvidersDeps extends ExternalAccountsDeps {
  clock: Clock
  users: Pick<Users, 'find'>
  settings: ProviderSettings
  opened: OpenedProviders
}

/** Passwords of the directory, access tokens and header accounts are not checked again for this long. */
const knownMs = 60_000
const maxKnown = 1000

/** The configured sign-in providers, and the users of their accounts. */
export class SignInProviders {
  readonly oidc: OidcProvider | undefined
  readonly ldap: LdapDirectory | undefined
  readonly accounts: ExternalAccounts
  readonly #deps: SignInProvidersDeps
  readonly #digestKey = randomBytes(32)
  /** Names of users by the digest of what identified them. */
  readonly #known = new Map<string, { name: string; until: number }>()

  constructor(deps: SignInProvidersDeps) {
    this.#deps = deps
    this.oidc = deps.opened.oidc
    this.ldap = deps.opened.ldap
    this.accounts = new ExternalAccounts(deps)
  }

  get hasDirectory(): boolean {
    return this.ldap !== undefined
  }

  /** True if this password was right a moment ago: it is not checked again. */
  isKnownPassword({ name, password }: { name: string; password: string }): boolean {
    return this.#find(this.#digest('password', name, password)) !== undefined
  }

  /** Returns the user of a name and password of the directory; undefined for wrong ones. */
  async admitPassword({ name, password }: { name: string; password: string }): Promise<User | undefined> {
    const { ldap } = this
    if (ldap === undefined) return undefined
    return this.#remembered(this.#digest('password', name, password), async () => {
      const account = await ldap.authenticate(name, password)
      return account && this.admit(account)
    })
  }

  /** Returns the user of an access token of the OpenID Connect issuer; undefined for a token of another origin. */
  async admitAccessToken(token: string): Promise<User | undefined> {
    const { oidc } = this
    if (oidc?.isIssuerOf(token) !== true) return undefined
    // The signature and the end of the token are checked each time, the user less often.
    const account = await oidc.verifyAccessToken(token)
    return this.#remembered(this.#digest('access', token), () => this.admit(account))
  }

  /** Returns the user whom a trusted proxy names. */
  async admitHeader({ name, groups, email }: HeaderAccount): Promise<User> {
    const account: ProviderAccount = {
      source: 'header',
      provider: 'header',
      subject: name,
      name,
      email,
      isEmailVerified: false,
      groups,
    }
    const key = this.#digest('header', JSON.stringify([name, groups, email]))
    const user = await this.#remembered(key, () => this.admit(account))
    return user ?? this.admit(account)
  }

  /** Returns the user of an account that its provider has authenticated. Throws `Failure` as `ExternalAccounts.admit`. */
  admit(account: ProviderAccount, refreshToken?: string): Promise<User> {
    return this.accounts.admit(account, this.#rulesOf(account), refreshToken)
  }

  /** Forgets whom it has identified: the next request asks the provider. */
  forget(userName: string): void {
    for (const [key, { name }] of this.#known) if (name === userName) this.#known.delete(key)
  }

  #rulesOf({ source }: ProviderAccount): AccountRules {
    const { oidc, ldap, header } = this.#deps.settings
    const rules = { oidc, ldap, header }[source]
    if (rules === undefined) throw new Error(`No sign-in by ${source} is set up`)
    return { link: 'none', ...rules }
  }

  async #remembered(key: string, identify: () => Promise<User | undefined>): Promise<User | undefined> {
    const name = this.#find(key)
    const known = name === undefined ? undefined : await this.#deps.users.find(name)
    if (known?.isEnabled === true) return known
    const user = await identify()
    if (user === undefined) return undefined
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.set(key, { name: user.name, until: performance.now() + knownMs })
    return user
  }

  #find(key: string): string | undefined {
    const found = this.#known.get(key)
    return found !== undefined && found.until > performance.now() ? found.name : undefined
  }

  #digest(...parts: readonly string[]): string {
    return createHmac('sha256', this.#digestKey).update(JSON.stringify(parts)).digest('base64')
  }
}
