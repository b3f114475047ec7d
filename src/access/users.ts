import type { Database, Queryable } from '../core/db/connection.ts'
import { conflict, invalid } from '../core/errors/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Passwords } from './passwords.ts'
import type { Role, User } from './records.ts'
import { countSessionsOf, deleteSessionsOf } from './session-repository.ts'
import { deleteTokensOf, listTokens } from './token-repository.ts'
import {
  countOtherAdmins,
  deleteUserRow,
  findUser,
  getUser,
  insertUser,
  listUsers,
  noPassword,
  updateUser,
} from './user-repository.ts'

export interface UsersDeps {
  database: Database
  passwords: Passwords
  clock: Clock
}

export interface NewUser {
  name: string
  password: string
  email?: string | undefined
  /** Default: `user`. */
  role?: Role | undefined
  /** Default: true. */
  isEnabled?: boolean | undefined
}

/** Changes to a user; absent properties are not changed. */
export interface UserChange {
  password?: string | undefined
  email?: string | undefined
  role?: Role | undefined
  isEnabled?: boolean | undefined
  /** Revokes all API tokens of the user. Switching the user off revokes the tokens too. Default: false. */
  revokesTokens?: boolean | undefined
}

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.@+-]{0,99}$/u

/** Users; at least one always is an administrator. */
export class Users {
  readonly #deps: UsersDeps

  constructor(deps: UsersDeps) {
    this.#deps = deps
  }

  /** Lists users by name. */
  list(): Promise<User[]> {
    return listUsers(this.#db)
  }

  find(name: string): Promise<User | undefined> {
    return findUser(this.#db, name)
  }

  /** Throws `Failure` (`notFound`) for a user who does not exist. */
  get(name: string): Promise<User> {
    return getUser(this.#db, name)
  }

  /** Throws `Failure` for a name that is in use (`conflict`) or invalid (`invalid`). */
  async create({ name, password, email, role = 'user', isEnabled = true }: NewUser): Promise<User> {
    checkName(name)
    const passwordHash = await this.#deps.passwords.hash(password)
    await insertUser(this.#db, name, { email, role, isEnabled, passwordHash }, this.#now())
    return this.get(name)
  }

  /**
   * Changes the given properties of a user. `check` may refuse the change. A new password or switching the user off ends the
   * sessions; switching off also revokes the API tokens. Throws `Failure` (`conflict`) if no administrator would be left.
   */
  async change(
    name: string,
    change: UserChange,
    check: (user: User) => void | Promise<void> = () => {},
  ): Promise<User> {
    const { database, passwords } = this.#deps
    const user = await this.get(name)
    await check(user)
    const { password, email = user.email, role = user.role, isEnabled = user.isEnabled } = change
    const revokesTokens = change.revokesTokens === true || !isEnabled
    const passwordHash = password === undefined ? user.passwordHash : await passwords.hash(password)
    await database.transaction(async (db) => {
      if (role !== 'admin' || !isEnabled) await keepAnAdmin(db, user)
      await updateUser(db, name, { email, role, isEnabled, passwordHash }, this.#now())
      if (password !== undefined || !isEnabled) await deleteSessionsOf(db, name)
      if (revokesTokens) await deleteTokensOf(db, name)
    })
    return this.get(name)
  }

  /**
   * Deletes a user with tokens and sessions. Throws `Failure`: `notFound`, or `conflict` for the last
   * administrator.
   */
  async delete(name: string): Promise<void> {
    const user = await this.get(name)
    await this.#deps.database.transaction(async (db) => {
      await keepAnAdmin(db, user)
      await deleteUserRow(db, name)
    })
  }

  /**
   * Lists what is deleted together with a user: tokens, and active sessions. Throws `Failure` (`notFound`).
   */
  async dependents(name: string): Promise<{ tokens: string[]; sessions: number }> {
    await this.get(name)
    const tokens = (await listTokens(this.#db, name)).map(({ caption }) => caption)
    return { tokens, sessions: await countSessionsOf(this.#db, name, this.#now()) }
  }

  /** Ends all web sessions of a user. Throws `Failure` (`notFound`). */
  async endSessions(name: string): Promise<void> {
    await this.get(name)
    await deleteSessionsOf(this.#db, name)
  }

  get #db(): Queryable {
    return this.#deps.database.kysely
  }

  #now(): string {
    return this.#deps.clock.now().toISOString()
  }
}

function checkName(name: string): void {
  if (namePattern.test(name)) return
  throw invalid(
    'invalid-name',
    `User name "${name}" is not valid: letters, digits and "_", "-", ".", "@", "+" are, at most 100, a letter, digit or "_" first`,
  )
}

async function keepAnAdmin(db: Queryable, user: User): Promise<void> {
  const isLocal = user.passwordHash !== noPassword
  if (user.role === 'admin' && isLocal && (await countOtherAdmins(db, user.name)) === 0)
    throw conflict(
      'last-admin',
      `User "${user.name}" is the last with the role admin who is not switched off`,
    )
}
