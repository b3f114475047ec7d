import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'

/** An account of a provider with its user. */
export interface Identity {
  provider: string
  subject: string
  userName: string
  /** Encrypted. */
  refreshToken: string | undefined
  confirmedAt: string
}

function toIdentity(row: Tables['user_identities']): Identity {
  return {
    provider: row.provider,
    subject: row.subject,
    userName: row.user_name,
    refreshToken: row.refresh_token ?? undefined,
    confirmedAt: row.confirmed_at,
  }
}

type Key = Pick<Identity, 'provider' | 'subject'>

export async function findIdentity(db: Queryable, { provider, subject }: Key): Promise<Identity | undefined> {
  const row = await db
    .selectFrom('user_identities')
    .selectAll()
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row === undefined ? undefined : toIdentity(row)
}

/** Notes that the provider has confirmed the account; `refreshToken` undefined: the stored one stays. */
export async function confirmIdentity(
  db: Queryable,
  {
    provider,
    subject,
    userName,
    refreshToken,
  }: Key & { userName: string; refreshToken?: string | undefined },
  at: string,
): Promise<void> {
  const times = { confirmed_at: at, checked_at: at }
  const changed = refreshToken === undefined ? times : { ...times, refresh_token: refreshToken }
  await db
    .insertInto('user_identities')
    .values({ provider, subject, user_name: userName, refresh_token: refreshToken ?? null, ...times })
    .onConflict((conflicting) => conflicting.columns(['provider', 'subject']).doUpdateSet(changed))
    .execute()
}

/** Lists accounts of a provider that were not checked since `before`, the longest unchecked first. */
export async function listUnchecked(db: Queryable, provider: string, before: string): Promise<Identity[]> {
  const rows = await db
    .selectFrom('user_identities')
    .selectAll()
    .where('provider', '=', provider)
    .where('checked_at', '<', before)
    .orderBy('checked_at')
    .limit(100)
    .execute()
  return rows.map(toIdentity)
}

/** Takes over the check of an account; false if another server has done so. */
export async function claimCheck(db: Queryable, key: Key, before: string, at: string): Promise<boolean> {
  const result = await db
    .updateTable('user_identities')
    .set({ checked_at: at })
    .where('provider', '=', key.provider)
    .where('subject', '=', key.subject)
    .where('checked_at', '<', before)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

/** Lists users who have tokens or sessions, but no account that was confirmed since `before`. */
export async function listUnconfirmed(db: Queryable, before: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user_identities')
    .select('user_name')
    .select((one) => one.fn.max('confirmed_at').as('confirmed'))
    .groupBy('user_name')
    .having((one) => one.fn.max('confirmed_at'), '<', before)
    .execute()
  const names = rows.map((row) => row.user_name)
  if (names.length === 0) return []
  const tokens = await db.selectFrom('tokens').select('user_name').where('user_name', 'in', names).execute()
  const sessions = await db
    .selectFrom('sessions')
    .select('user_name')
    .where('user_name', 'in', names)
    .where('via', '<>', 'password')
    .execute()
  return [...new Set([...tokens, ...sessions].map((row) => row.user_name))]
}
