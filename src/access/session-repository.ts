import type { Queryable } from '../core/db/connection.ts'
import { digestSecret, randomText } from './passwords.ts'
import type { Session, SignInMethod, User } from './records.ts'
import { sessionSeconds, signInMethods } from './records.ts'
import { findUser } from './user-repository.ts'

/** Sign-in that created a session. */
export interface SessionOrigin {
  via: SignInMethod
  address: string
  /** Name of the browser. */
  agent: string | undefined
  /** `sid` of the provider. */
  providerSession?: string | undefined
  /** Encrypted ID token. */
  providerToken?: string | undefined
}

/** A session as its owner sees it. */
export interface ListedSession {
  /** Start of the digest: identifies the session, and cannot replace the cookie. */
  id: string
  createdAt: string
  expiresAt: string
  via: SignInMethod
  address: string | undefined
  agent: string | undefined
}

const idChars = 16

/** Starts a session; the id is only for the cookie, only its digest is stored. Deletes expired sessions. */
export async function insertSession(
  db: Queryable,
  user: User,
  origin: SessionOrigin,
  now: Date,
): Promise<Session & { id: string }> {
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
      via: origin.via,
      address: origin.address,
      agent: origin.agent?.slice(0, 300) ?? null,
      provider_session: origin.providerSession ?? null,
      provider_token: origin.providerToken ?? null,
    })
    .execute()
  return { id, user, csrfToken, expiresAt, via: origin.via }
}

function toMethod(text: string): SignInMethod {
  return signInMethods.find((one) => one === text) ?? 'password'
}

export async function findSession(db: Queryable, id: string, now: Date): Promise<Session | undefined> {
  const row = await db
    .selectFrom('sessions')
    .selectAll()
    .where('id_hash', '=', digestSecret(id))
    .executeTakeFirst()
  if (row === undefined || row.expires_at <= now.toISOString()) return undefined
  const user = await findUser(db, row.user_name)
  if (user?.isEnabled !== true) return undefined
  return { user, csrfToken: row.csrf_token, expiresAt: row.expires_at, via: toMethod(row.via) }
}

/** Lists active sessions of a user, the newest first. */
export async function listSessions(db: Queryable, userName: string, at: string): Promise<ListedSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_name', '=', userName)
    .where('expires_at', '>', at)
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id_hash.slice(0, idChars),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    via: toMethod(row.via),
    address: row.address ?? undefined,
    agent: row.agent ?? undefined,
  }))
}

/** The listed id of a session. */
export function listedId(id: string): string {
  return digestSecret(id).slice(0, idChars)
}

/** Ends a session by its listed id. Returns true if the user had it. */
export async function deleteListedSession(db: Queryable, userName: string, id: string): Promise<boolean> {
  const rows = await db.selectFrom('sessions').select('id_hash').where('user_name', '=', userName).execute()
  const found = rows.find((row) => row.id_hash.slice(0, idChars) === id)
  if (found === undefined) return false
  await db.deleteFrom('sessions').where('id_hash', '=', found.id_hash).execute()
  return true
}

/** Ends the sessions of a user that a provider started. */
export async function deleteProviderSessions(db: Queryable, userName: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_name', '=', userName).where('via', '<>', 'password').execute()
}

/** Ends the sessions of a provider's session. Returns the names of the users. */
export async function deleteByProviderSession(db: Queryable, providerSession: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where('provider_session', '=', providerSession)
    .where('via', '=', 'oidc')
    .returning('user_name')
    .execute()
  return rows.map((row) => row.user_name)
}

/** Returns the encrypted ID token of a session. */
export async function findProviderToken(db: Queryable, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('provider_token')
    .where('id_hash', '=', digestSecret(id))
    .executeTakeFirst()
  return row?.provider_token ?? undefined
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
