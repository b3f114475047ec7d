import type { Database, Queryable } from '../db/connection.ts'
import type { SharedTime } from '../db/database-time.ts'

/**
 * Claims the key for a request; returns the earlier response if there is one. A claim not renewed since
 * `abandonedBefore` belongs to a dead process and is free.
 */
export async function claimKey(
  database: Database,
  claim: Claim,
  times: { now: SharedTime; expiredBefore: SharedTime; abandonedBefore: SharedTime },
): Promise<StoredResponse | undefined> {
  const { userName, key, requestHash } = claim
  return database.transaction(async (db) => {
    await db.deleteFrom('idempotency_keys').where('created_at', '<', times.expiredBefore).execute()
    await db
      .deleteFrom('idempotency_keys')
      .where('status', '=', 0)
      .where('created_at', '<', times.abandonedBefore)
      .execute()
    const inserted = await db
      .insertInto('idempotency_keys')
      .values({
        user_name: userName,
        key,
        request_hash: requestHash,
        status: 0,
        headers: '{}',
        body: '',
        created_at: times.now,
      })
      .onConflict((conflicting) => conflicting.columns(['user_name', 'key']).doNothing())
      .executeTakeFirst()
    return Number(inserted.numInsertedOrUpdatedRows) > 0 ? undefined : findAnswer(db, userName, key)
  })
}

async function findAnswer(db: Queryable, userName: string, key: string): Promise<StoredResponse | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('user_name', '=', userName)
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    requestHash: row.request_hash,
    status: row.status,
    headers: JSON.parse(row.headers) as Record<string, string>,
    body: row.body,
    createdAt: row.created_at,
  }
}

/** Stores the first response to a key. */
export async function storeResponse(
  db: Queryable,
  { userName, key }: Claim,
  response: { status: number; headers: Record<string, string>; body: string; at: SharedTime },
): Promise<void> {
  const { status, headers, body, at } = response
  await db
    .updateTable('idempotency_keys')
    .set({ status, headers: JSON.stringify(headers), body, created_at: at })
    .where('user_name', '=', userName)
    .where('key', '=', key)
    .execute()
}

/** Releases the key, so that the request may be repeated. */
export async function releaseKey(db: Queryable, { userName, key }: Claim): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('user_name', '=', userName)
    .where('key', '=', key)
    .where('status', '=', 0)
    .execute()
}

/** Renews the claims of requests that are in progress. */
export async function renewKeys(db: Queryable, claims: Iterable<Claim>, now: SharedTime): Promise<void> {
  for (const { userName, key } of claims) {
    await db
      .updateTable('idempotency_keys')
      .set({ created_at: now })
      .where('user_name', '=', userName)
      .where('key', '=', key)
      .where('status', '=', 0)
      .execute()
  }
}

/** Releases the claims of dead processes; call only if no other process uses the database. */
export async function releaseAllKeys(db: Queryable): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('status', '=', 0).execute()
}

/**
 * The first response to a key; `status` is 0 until it is complete. `createdAt` is then the last renewal of
 * the claim.
 */
export interface StoredResponse {
  requestHash: string
  status: number
  headers: Record<string, string>
  body: string
  createdAt: string
}

/** A request with a key. */
export interface Claim {
  userName: string
  key: string
  requestHash: string
}
