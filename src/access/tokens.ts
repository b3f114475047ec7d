import type { Database } from '../core/db/connection.ts'
import type { Clock } from '../core/time/clock.ts'
import type { Token, TokenLimits } from './records.ts'
import type { TokenUser } from './token-repository.ts'
import { deleteToken, findUserByToken, insertToken, listTokens } from './token-repository.ts'

/** A new token: its text is only available here. */
export interface NewToken extends Token {
  text: string
}

/** `expiresAt` as ISO 8601 in UTC; absent: never. Without `limits` the token has all rights of the user. */
export interface NewTokenRequest {
  caption: string
  expiresAt?: string | undefined
  limits?: TokenLimits
}

/** API tokens, by which programs authenticate; each belongs to a user. */
export class Tokens {
  readonly #database: Database
  readonly #clock: Clock

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  /** Lists the tokens of a user, oldest first. */
  list(userName: string): Promise<Token[]> {
    return listTokens(this.#database.kysely, userName)
  }

  async create(userName: string, { caption, expiresAt, limits = {} }: NewTokenRequest): Promise<NewToken> {
    const createdAt = this.#clock.now().toISOString()
    const requested = { userName, caption, expiresAt, limits, at: createdAt }
    const { id, text } = await insertToken(this.#database.kysely, requested)
    return { id, text, caption, createdAt, expiresAt, lastUsedAt: undefined, limits }
  }

  /** Returns true if the user had this token. */
  revoke(userName: string, id: number): Promise<boolean> {
    return deleteToken(this.#database.kysely, userName, id)
  }

  /** Returns the user of a token; undefined for an unknown or expired one. */
  findUser(text: string): Promise<TokenUser | undefined> {
    return findUserByToken(this.#database.kysely, text, this.#clock.now())
  }
}
