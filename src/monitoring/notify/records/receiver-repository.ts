import type { Queryable } from '../../../core/db/connection.ts'
import type { Receiver } from '../model/model.ts'

/** A receiver to store. */
export interface NewReceiver {
  kind: string
  target: string
  /** The user that it represents. It is deleted together with the user. */
  userName?: string
  /** Encrypted secret; empty if there is none. */
  secret: string
}

/** Returns the receivers of a check, users with their present addresses. */
export async function listReceivers(db: Queryable, checkId: number): Promise<Receiver[]> {
  const rows = await db
    .selectFrom('notification_receivers')
    .leftJoin('users', 'users.name', 'notification_receivers.user_name')
    .select([
      'notification_receivers.id',
      'notification_receivers.kind',
      'notification_receivers.target',
      'notification_receivers.secret',
      'users.email',
    ])
    .where('check_id', '=', checkId)
    .orderBy('notification_receivers.id')
    .execute()
  return rows.map(({ email, ...receiver }) => ({ ...receiver, userAddress: email ?? undefined }))
}

/**
 * Replaces the receivers of these kinds. An unchanged receiver keeps its id and, unless a new one is given,
 * its secret.
 */
export async function replaceReceivers(
  db: Queryable,
  checkId: number,
  kinds: readonly string[],
  newReceivers: readonly NewReceiver[],
): Promise<void> {
  const known = (await listReceivers(db, checkId)).filter(({ kind }) => kinds.includes(kind))
  const isSame = (one: { kind: string; target: string }, other: { kind: string; target: string }): boolean =>
    one.kind === other.kind && one.target === other.target
  for (const gone of known.filter((one) => !newReceivers.some((other) => isSame(one, other))))
    await db.deleteFrom('notification_receivers').where('id', '=', gone.id).execute()
  for (const one of newReceivers) {
    const found = known.find((other) => isSame(one, other))
    if (found === undefined) await insertReceiver(db, checkId, one)
    else if (one.secret !== '')
      await db
        .updateTable('notification_receivers')
        .set({ secret: one.secret })
        .where('id', '=', found.id)
        .execute()
  }
}

async function insertReceiver(db: Queryable, checkId: number, receiver: NewReceiver): Promise<void> {
  const { kind, target, userName, secret } = receiver
  await db
    .insertInto('notification_receivers')
    .values({ check_id: checkId, kind, user_name: userName ?? null, target, secret })
    .execute()
}

/**
 * Returns the names of users by mail address, ignoring case; if several users have an address, the first by
 * name.
 */
export async function findUsersByAddress(
  db: Queryable,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('email', 'is not', null)
    .orderBy('name', 'desc')
    .execute()
  const byAddress = new Map(rows.map(({ name, email }) => [(email ?? '').trim().toLowerCase(), name]))
  return new Map(
    addresses.flatMap((address) => {
      const name = byAddress.get(address.toLowerCase())
      return name === undefined ? [] : [[address, name] as const]
    }),
  )
}
