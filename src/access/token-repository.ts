import type { Queryable } from '../core/db/connection.ts'
import { digestSecret, randomText } from './passwords.ts'
import type { Token, User } from './records.ts'
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
  }))
}

/** Creates a token; its text is returned only here, and only its digest is stored. */
export async function insertToken(
  db: Queryable,
  requested: { userName: string; caption: string; expiresAt: string | undefined; at: string },
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
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: Number(row.id), text }
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

/** Returns the user of a token and records its use with a resolution of one minute. */
export async function findUserByToken(db: Queryable, text: string, now: Date): Promise<User | undefined> {
  const row = await db
    .selectFrom('tokens')
    .select(['id', 'user_name', 'expires_at', 'last_used_at'])
    .where('token_hash', '=', digestSecret(text))
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.expires_at !== null && row.expires_at <= now.toISOString()) return undefined
  if (row.last_used_at === null || now.getTime() - Date.parse(row.last_used_at) > useResolutionMs) {
    await db.updateTable('tokens').set({ last_used_at: now.toISOString() }).where('id', '=', row.id).execute()
  }
  return findUser(db, row.user_name)
}
