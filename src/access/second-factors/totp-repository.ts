import type { Queryable } from '../../core/db/connection.ts'

/** One-time codes of a user. */
export interface StoredTotp {
  /** Encrypted. */
  secret: string
  isConfirmed: boolean
  lastStep: number
  /** Digests. */
  recoveryCodes: string[]
}

export async function findTotp(db: Queryable, userName: string): Promise<StoredTotp | undefined> {
  const row = await db
    .selectFrom('user_totp')
    .selectAll()
    .where('user_name', '=', userName)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    secret: row.secret,
    isConfirmed: row.confirmed_at !== null,
    lastStep: Number(row.last_step),
    recoveryCodes: JSON.parse(row.recovery_codes) as string[],
  }
}

/** Stores a secret that is not confirmed yet. */
export async function insertTotp(db: Queryable, userName: string, secret: string): Promise<void> {
  await deleteTotp(db, userName)
  await db.insertInto('user_totp').values({ user_name: userName, secret, confirmed_at: null }).execute()
}

export async function confirmTotp(
  db: Queryable,
  userName: string,
  { at, recoveryCodes }: { at: string; recoveryCodes: readonly string[] },
): Promise<void> {
  await db
    .updateTable('user_totp')
    .set({ confirmed_at: at, recovery_codes: JSON.stringify(recoveryCodes) })
    .where('user_name', '=', userName)
    .execute()
}

/** Takes a time step, each only once. Returns false if that step or a later one was taken. */
export async function takeStep(db: Queryable, userName: string, step: number): Promise<boolean> {
  const result = await db
    .updateTable('user_totp')
    .set({ last_step: step })
    .where('user_name', '=', userName)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

/** Replaces the recovery codes `before`. Returns false if they have changed meanwhile. */
export async function replaceRecoveryCodes(
  db: Queryable,
  userName: string,
  before: readonly string[],
  after: readonly string[],
): Promise<boolean> {
  const result = await db
    .updateTable('user_totp')
    .set({ recovery_codes: JSON.stringify(after) })
    .where('user_name', '=', userName)
    .where('recovery_codes', '=', JSON.stringify(before))
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

export async function deleteTotp(db: Queryable, userName: string): Promise<boolean> {
  const result = await db.deleteFrom('user_totp').where('user_name', '=', userName).executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}
