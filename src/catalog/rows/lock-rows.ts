import type { Queryable } from '../../core/db/connection.ts'
import type { SharedTime } from '../../core/db/database-time.ts'

/** A locked feature. */
export interface LockRecord {
  lockId: string
  user: string
  featureId: string
  expiresAt: string
}

interface FeaturesOfLayer {
  layerId: number
  featureIds: readonly string[]
}

/** Values bound by one statement. */
const atATime = 500

function* portions(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += atATime) yield ids.slice(at, at + atATime)
}

/** Returns the locks of features that have not expired at `now`. */
export async function findActiveLocks(
  db: Queryable,
  { layerId, featureIds }: FeaturesOfLayer,
  now: SharedTime,
): Promise<LockRecord[]> {
  const found: LockRecord[] = []
  for (const portion of portions(featureIds)) {
    const rows = await db
      .selectFrom('locked_features as f')
      .innerJoin('feature_locks as l', 'l.id', 'f.lock_id')
      .select(['f.feature_id', 'l.id', 'l.user_name', 'l.expires_at'])
      .where('f.layer_id', '=', layerId)
      .where('f.feature_id', 'in', portion)
      .where('l.expires_at', '>', now)
      .execute()
    for (const { feature_id: featureId, id: lockId, user_name: user, expires_at: expiresAt } of rows)
      found.push({ featureId, lockId, user, expiresAt })
  }
  return found
}

/** Finds a lock, also an expired one. */
export async function findLock(
  db: Queryable,
  lockId: string,
  now: SharedTime,
): Promise<{ user: string; seconds: number; isExpired: boolean } | undefined> {
  const row = await db
    .selectFrom('feature_locks')
    .select(['user_name', 'seconds'])
    .select(({ eb }) => eb.case().when('expires_at', '>', now).then(0).else(1).end().as('is_expired'))
    .where('id', '=', lockId)
    .executeTakeFirst()
  return row && { user: row.user_name, seconds: row.seconds, isExpired: Number(row.is_expired) === 1 }
}

/** Frees the features of locks that expired before `now`, and deletes those that expired before `old`. */
export async function deleteExpiredLocks(db: Queryable, now: SharedTime, old: SharedTime): Promise<void> {
  await db
    .deleteFrom('locked_features')
    .where('lock_id', 'in', (query) =>
      query.selectFrom('feature_locks').select('id').where('expires_at', '<=', now),
    )
    .execute()
  await db.deleteFrom('feature_locks').where('expires_at', '<=', old).execute()
}

export async function insertLock(
  db: Queryable,
  { id, user, seconds, expiresAt }: { id: string; user: string; seconds: number; expiresAt: SharedTime },
): Promise<void> {
  await db
    .insertInto('feature_locks')
    .values({ id, user_name: user, seconds, expires_at: expiresAt })
    .execute()
}

/** Returns false if another server has locked one of the features since they were read. */
export async function insertLockedFeatures(
  db: Queryable,
  lockId: string,
  { layerId, featureIds }: FeaturesOfLayer,
): Promise<boolean> {
  let inserted = 0
  for (const portion of portions(featureIds)) {
    const rows = await db
      .insertInto('locked_features')
      .values(portion.map((id) => ({ layer_id: layerId, feature_id: id, lock_id: lockId })))
      .onConflict((conflicting) => conflicting.columns(['layer_id', 'feature_id']).doNothing())
      .returning('feature_id')
      .execute()
    inserted += rows.length
  }
  return inserted === featureIds.length
}

export async function deleteLock(db: Queryable, lockId: string): Promise<void> {
  await db.deleteFrom('feature_locks').where('id', '=', lockId).execute()
}

export async function releaseFeatures(
  db: Queryable,
  lockId: string,
  { layerId, featureIds }: FeaturesOfLayer,
): Promise<void> {
  for (const portion of portions(featureIds))
    await db
      .deleteFrom('locked_features')
      .where('lock_id', '=', lockId)
      .where('layer_id', '=', layerId)
      .where('feature_id', 'in', portion)
      .execute()
}

/** Sets when a lock expires. */
export async function postponeLock(db: Queryable, lockId: string, expiresAt: SharedTime): Promise<void> {
  await db.updateTable('feature_locks').set({ expires_at: expiresAt }).where('id', '=', lockId).execute()
}
