import type { Database } from '../../core/db/connection.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Identity } from './identity-repository.ts'
import { claimCheck, listUnchecked, listUnconfirmed } from './identity-repository.ts'
import type { SignInProviders } from './sign-in-providers.ts'

const runMs = 60_000
const minuteMs = 60_000
const dayMs = 86_400_000

export interface ProviderChecksDeps {
  database: Database
  clock: Clock
  log: Logger
  vault: Vault
  providers: SignInProviders
  /** Interval of the checks of one account. */
  checkMinutes: number
  /** A user whom no provider has confirmed for so long loses sessions and tokens. */
  confirmDays: number
  /** Called for each user who has lost sessions and tokens. */
  onRemoved(userName: string, reason: string): void
}

/** Asks the providers regularly whether the accounts of users still exist. */
export class ProviderChecks {
  readonly #deps: ProviderChecksDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(deps: ProviderChecksDeps) {
    this.#deps = deps
  }

  /** Does nothing where no provider is set up. */
  start(): void {
    const { providers, log } = this.#deps
    if (providers.oidc === undefined && providers.ldap === undefined) return
    this.#timer = setInterval(() => {
      this.#running = this.run().catch((error: unknown) =>
        log.error({ err: error }, 'accounts were not checked'),
      )
    }, runMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Checks the accounts that are due. */
  async run(): Promise<void> {
    const { database, clock, providers, checkMinutes, confirmDays } = this.#deps
    const now = clock.now()
    const before = new Date(now.getTime() - checkMinutes * minuteMs).toISOString()
    for (const provider of [providers.oidc?.provider, providers.ldap?.provider]) {
      if (provider === undefined) continue
      for (const identity of await listUnchecked(database.kysely, provider, before))
        if (await claimCheck(database.kysely, identity, before, now.toISOString()))
          await this.#check(identity)
    }
    const unconfirmed = new Date(now.getTime() - confirmDays * dayMs).toISOString()
    for (const name of await listUnconfirmed(database.kysely, unconfirmed))
      await this.#remove(name, `no sign-in provider has confirmed the account for ${confirmDays} days`)
  }

  async #check(identity: Identity): Promise<void> {
    try {
      if (await this.#isGone(identity))
        await this.#remove(identity.userName, 'the account is gone at the provider')
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      this.#deps.log.warn({ err: error, user: identity.userName }, 'an account could not be checked')
    }
  }

  async #isGone(identity: Identity): Promise<boolean> {
    const { providers, vault } = this.#deps
    const { provider, subject, userName, refreshToken } = identity
    if (provider === providers.ldap?.provider) {
      const account = await providers.ldap.find(subject, userName)
      if (account !== undefined) await providers.admit(account)
      return account === undefined
    }
    // Without a refresh token only the next sign-in can tell.
    if (refreshToken === undefined || providers.oidc === undefined) return false
    const refreshed = await providers.oidc.refresh(vault.open(refreshToken))
    if (refreshed === 'gone') return true
    if (refreshed.account !== undefined) await providers.admit(refreshed.account, refreshed.refreshToken)
    return false
  }

  async #remove(userName: string, reason: string): Promise<void> {
    const { providers, log, onRemoved } = this.#deps
    await providers.accounts.removeAccess(userName)
    providers.forget(userName)
    log.warn({ user: userName }, `sessions and tokens were removed: ${reason}`)
    onRemoved(userName, reason)
  }
}
