import type { Queryable } from '../core/db/connection.ts'
import { digestSecret, randomText } from './passwords.ts'
import type { Session, User } from './records.ts'
import { sessionSeconds } from './records.ts'
import { findUser } from './user-repository.ts'

/** Starts a session; the id is only for the cookie, only its digest is stored. Deletes expired sessions. */
export async function insertSession(db: Queryable, user: User, now: Date): Promise<Session & { id: string }> {
  const id = randomText()
  const csrfToken = randomText()
  const expiresAt = new Date(now.getTime() + sessionSeconds * 1000).toISOString()
  await db.deleteFrom('sessions').where('expires_at', '<=', now.toISOString()).execute()
  await db
    .insertInto('sessions')
    .values({
      id_hash: digestSecret(id),
      user_name: user.name,
      csrf_token: csrfToken,
      created_at: now.toISOString(),
      expires_at: expiresAt,
    })
    .execute()
  return { id, user, csrfToken, expiresAt }
}

export async function findSession(db: Queryable, id: string, now: Date): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id_hash', '=', digestSecret(id))
    .executeTakeFirst()
  if (row === undefined || row.expires_at <= now.toISOString()) return undefined
  const user = await findUser(db, row.user_name)
  return user?.isEnabled !== true ? undefined : { user, csrfToken: row.csrf_token, expiresAt: row.expires_at }
}

/** Counts active sessions of a user. */
export async function countSessionsOf(db: Queryable, userName: string, at: string): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .select((one) => one.fn.countAll<number>().as('count'))
    .where('user_name', '=', userName)
    .where('expires_at', '>', at)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function deleteSession(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('sessions').where('id_hash', '=', digestSecret(id)).execute()
}

export async function deleteSessionsOf(db: Queryable, userName: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_name', '=', userName).execute()
}
