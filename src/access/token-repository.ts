import type { Queryable } from '../core/db/connection.ts'
import { digestSecret, randomText } from './passwords.ts'
import type { Token, TokenLimits, TokenScope, User } from './records.ts'
import { tokenScopes } from './records.ts'
import { findUser } from './user-repository.ts'

const tokenPrefix = 'trn_'
const useResolutionMs = 60_000

export async function listTokens(db: Queryable, userName: string): Promise<Token[]> {
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('user_name', '=', userName)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: Number(row.id),
    caption: row.caption,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    limits: toLimits(row),
  }))
}

function toLimits(row: LimitColumns): TokenLimits {
  return {
    scopes: row.scopes === null ? undefined : toScopes(JSON.parse(row.scopes)),
    workspace: row.workspace ?? undefined,
    layers: row.layers === null ? undefined : (JSON.parse(row.layers) as string[]),
  }
}

function toScopes(stored: unknown): TokenScope[] {
  return tokenScopes.filter((scope) => Array.isArray(stored) && stored.includes(scope))
}

interface LimitColumns {
  scopes: string | null
  workspace: string | null
  layers: string | null
}

/** Creates a token; its text is returned only here, and only its digest is stored. */
export async function insertToken(
  db: Queryable,
  requested: {
    userName: string
    caption: string
    expiresAt: string | undefined
    at: string
    limits: TokenLimits
  },
): Promise<{ id: number; text: string }> {
  const text = tokenPrefix + randomText()
  const row = await db
    .insertInto('tokens')
    .values({
      user_name: requested.userName,
      caption: requested.caption,
      token_hash: digestSecret(text),
      created_at: requested.at,
      expires_at: requested.expiresAt ?? null,
      last_used_at: null,
      scopes: toJson(requested.limits.scopes),
      workspace: requested.limits.workspace ?? null,
      layers: toJson(requested.limits.layers),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: Number(row.id), text }
}

function toJson(list: readonly string[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list)
}

/** Returns true if the user had this token. */
export async function deleteToken(db: Queryable, userName: string, id: number): Promise<boolean> {
  const result = await db
    .deleteFrom('tokens')
    .where('user_name', '=', userName)
    .where('id', '=', id)
    .executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}

/** Deletes all tokens of a user. */
export async function deleteTokensOf(db: Queryable, userName: string): Promise<void> {
  await db.deleteFrom('tokens').where('user_name', '=', userName).execute()
}

/** The user of a token with the limits of the token. */
export interface TokenUser {
  user: User
  limits: TokenLimits
}

/** Returns the user of a token and records its use with a resolution of one minute. */
export async function findUserByToken(
  db: Queryable,
  text: string,
  now: Date,
): Promise<TokenUser | undefined> {
  const row = await db
    .selectFrom('tokens')
    .select(['id', 'user_name', 'expires_at', 'last_used_at', 'scopes', 'workspace', 'layers'])
    .where('token_hash', '=', digestSecret(text))
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.expires_at !== null && row.expires_at <= now.toISOString()) return undefined
  if (row.last_used_at === null || now.getTime() - Date.parse(row.last_used_at) > useResolutionMs) {
    await db.updateTable('tokens').set({ last_used_at: now.toISOString() }).where('id', '=', row.id).execute()
  }
  const user = await findUser(db, row.user_name)
  return user === undefined ? undefined : { user, limits: toLimits(row) }
}
