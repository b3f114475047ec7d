import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'

/** A passkey of a user. */
export interface Passkey {
  /** Id of the credential, base64url. */
  id: string
  userName: string
  caption: string
  /** COSE key, base64url. */
  publicKey: string
  counter: number
  transports: string[]
  createdAt: string
  lastUsedAt: string | undefined
}

function toPasskey(row: Tables['user_passkeys']): Passkey {
  return {
    id: row.id,
    userName: row.user_name,
    caption: row.caption,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}

export async function listPasskeys(db: Queryable, userName: string): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('user_passkeys')
    .selectAll()
    .where('user_name', '=', userName)
    .orderBy('created_at')
    .execute()
  return rows.map(toPasskey)
}

export async function findPasskey(db: Queryable, id: string): Promise<Passkey | undefined> {
  const row = await db.selectFrom('user_passkeys').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toPasskey(row)
}

/** Returns false if the credential is registered already. */
export async function insertPasskey(db: Queryable, passkey: Passkey): Promise<boolean> {
  const result = await db
    .insertInto('user_passkeys')
    .values({
      id: passkey.id,
      user_name: passkey.userName,
      caption: passkey.caption,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      created_at: passkey.createdAt,
      last_used_at: null,
    })
    .onConflict((conflicting) => conflicting.column('id').doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) > 0
}

export async function usePasskey(
  db: Queryable,
  id: string,
  { counter, at }: { counter: number; at: string },
): Promise<void> {
  await db.updateTable('user_passkeys').set({ counter, last_used_at: at }).where('id', '=', id).execute()
}

export async function deletePasskey(db: Queryable, userName: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('user_passkeys')
    .where('user_name', '=', userName)
    .where('id', '=', id)
    .executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}
