import type { Database, Queryable } from '../../core/db/connection.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Groups } from '../groups.ts'
import type { User } from '../records.ts'
import { deleteProviderSessions } from '../session-repository.ts'
import { deleteTokensOf } from '../token-repository.ts'
import { findUser, insertUser, listUsersByEmail, noPassword, updateUser } from '../user-repository.ts'
import type { AccountRules, ProviderAccount } from './account.ts'
import { roleOf, toUserName } from './account.ts'
import { confirmIdentity, findIdentity } from './identity-repository.ts'

export interface ExternalAccountsDeps {
  database: Database
  clock: Clock
  groups: Pick<Groups, 'replaceMemberships'>
  vault: Vault
}

/** Users of accounts at sign-in providers. */
export class ExternalAccounts {
  readonly #deps: ExternalAccountsDeps

  constructor(deps: ExternalAccountsDeps) {
    this.#deps = deps
  }

  /**
   * Returns the user of an account that the provider has just authenticated: the known one, a linked one, or a
   * new one. Role and groups follow the provider. Throws `Failure`: `account-exists` for the name of a user who
   * is not linked, `user-switched-off`.
   */
  async admit(
    account: ProviderAccount,
    rules: AccountRules,
    refreshToken?: string | undefined,
  ): Promise<User> {
    const { database, groups, vault } = this.#deps
    const sealed = refreshToken === undefined ? undefined : vault.seal(refreshToken)
    const user = await database.transaction(async (db) => {
      const found = await this.#findOrCreate(db, account, rules)
      if (!found.isEnabled) throw switchedOff(found.name)
      const { provider, subject } = account
      await confirmIdentity(
        db,
        { provider, subject, userName: found.name, refreshToken: sealed },
        this.#now(),
      )
      return this.#follow(db, found, account, rules)
    })
    if (account.groups !== undefined)
      await groups.replaceMemberships(user.name, account.source, account.groups)
    return user
  }

  /** Ends the provider's sessions and revokes the tokens of a user whose account is gone. */
  async removeAccess(userName: string): Promise<void> {
    await this.#deps.database.transaction(async (db) => {
      await deleteProviderSessions(db, userName)
      await deleteTokensOf(db, userName)
    })
  }

  async #findOrCreate(db: Queryable, account: ProviderAccount, rules: AccountRules): Promise<User> {
    const identity = await findIdentity(db, account)
    const known = identity && (await findUser(db, identity.userName))
    if (known !== undefined) return known
    const linked = await linkedUser(db, account, rules)
    if (linked !== undefined) return linked
    const name = toUserName(account.name)
    if ((await findUser(db, name)) !== undefined) throw taken(name, account)
    const values = { email: account.email, role: 'user', isEnabled: true, passwordHash: noPassword } as const
    await insertUser(db, name, values, this.#now())
    const created = await findUser(db, name)
    if (created === undefined) throw new Error(`User "${name}" was not created`)
    return created
  }

  /** Gives the user the role and the address of the account. */
  async #follow(db: Queryable, user: User, account: ProviderAccount, rules: AccountRules): Promise<User> {
    const role = roleOf(account.groups, rules) ?? user.role
    const email = account.email ?? user.email
    if (role === user.role && email === user.email) return user
    const changed = { ...user, role, email }
    await updateUser(db, user.name, changed, this.#now())
    return changed
  }

  #now(): string {
    return this.#deps.clock.now().toISOString()
  }
}

/** Only one user may have the address, and the provider must have verified it. */
async function linkedUser(
  db: Queryable,
  { email, isEmailVerified }: ProviderAccount,
  { link }: AccountRules,
): Promise<User | undefined> {
  if (link !== 'email' || email === undefined || !isEmailVerified) return undefined
  const users = await listUsersByEmail(db, email)
  return users.length === 1 ? users[0] : undefined
}

function taken(name: string, { source }: ProviderAccount): Failure {
  const setting = source === 'oidc' ? 'TERRANE_OIDC_LINK=email' : 'TERRANE_LDAP_LINK=email'
  const advice = source === 'header' ? '' : `, or set ${setting} to link users by verified e-mail addresses`
  return new Failure(
    'forbidden',
    'account-exists',
    `User "${name}" exists already and is not linked to this account: an administrator can delete that user${advice}`,
  )
}

function switchedOff(name: string): Failure {
  const text = `User "${name}" is switched off: an administrator can switch them on again`
  return new Failure('unauthenticated', 'user-switched-off', text)
}
