import { randomUUID } from 'node:crypto'
import type { Database, Queryable } from '../../core/db/connection.ts'
import { sharedTime } from '../../core/db/database-time.ts'
import type { Clock } from '../../core/time/clock.ts'
import {
  deleteExpiredLocks,
  deleteLock,
  findActiveLocks,
  findLock,
  insertLock,
  insertLockedFeatures,
  type LockRecord,
  postponeLock,
  releaseFeatures,
} from '../rows/lock-rows.ts'

/** Features of a layer that are to be locked or released. */
export interface FeaturesOfLayer {
  layerId: number
  featureIds: readonly string[]
}

/** Request to lock features. */
export interface LockRequest {
  user: string
  seconds: number
  features: readonly FeaturesOfLayer[]
  /** True to lock no feature if one of them is locked already. */
  isAllOrNone: boolean
}

/** Result of locking features, in the order of the request. */
export interface GrantedLock {
  /** Undefined if no feature was locked. */
  lockId?: string
  locked: FeaturesOfLayer[]
  notLocked: FeaturesOfLayer[]
}

/** State of a lock id: `unknown` also for a lock of another user. */
export type LockState = 'valid' | 'expired' | 'unknown'

/** Locks of features by WFS clients, which expire by the time of the database. */
export class FeatureLocks {
  readonly #database: Database
  readonly #clock: Clock

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database
    this.#clock = clock
  }

  /** Returns the valid locks of features of a layer. */
  async find(db: Queryable, layerId: number, featureIds: readonly string[]): Promise<LockRecord[]> {
    return findActiveLocks(db, { layerId, featureIds }, this.#time())
  }

  async stateOf(lockId: string, user: string): Promise<LockState> {
    const lock = await findLock(this.#database.kysely, lockId, this.#time())
    if (lock === undefined || lock.user !== user) return 'unknown'
    return lock.isExpired ? 'expired' : 'valid'
  }

  /** Locks features in one transaction, again if another server locks one of them at the same time. */
  async lock(request: LockRequest): Promise<GrantedLock> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#lockOnce(request)
      } catch (error) {
        if (!(error instanceof LockedMeanwhile) || attempt === maxAttempts) throw error
      }
    }
  }

  #lockOnce({ user, seconds, features, isAllOrNone }: LockRequest): Promise<GrantedLock> {
    return this.#database.transaction(async (db) => {
      await deleteExpiredLocks(db, this.#time(), this.#time(-rememberedSeconds))
      const granted: GrantedLock = { locked: [], notLocked: [] }
      for (const part of features) {
        const active = await findActiveLocks(db, part, this.#time())
        const taken = new Set(active.map(({ featureId }) => featureId))
        const { layerId } = part
        granted.locked.push({ layerId, featureIds: part.featureIds.filter((id) => !taken.has(id)) })
        granted.notLocked.push({ layerId, featureIds: part.featureIds.filter((id) => taken.has(id)) })
      }
      if (isAllOrNone && granted.notLocked.some(({ featureIds }) => featureIds.length > 0))
        return { locked: [], notLocked: granted.notLocked }
      const lockId = randomUUID()
      await insertLock(db, { id: lockId, user, seconds, expiresAt: this.#time(seconds) })
      for (const part of granted.locked)
        if (!(await insertLockedFeatures(db, lockId, part))) throw new LockedMeanwhile()
      return { ...granted, lockId }
    })
  }

  /** Releases a lock. */
  async release(lockId: string): Promise<void> {
    await deleteLock(this.#database.kysely, lockId)
  }

  /** Releases features of a lock; the others are locked for the whole time again. */
  async releaseSome(lockId: string, features: readonly FeaturesOfLayer[]): Promise<void> {
    await this.#database.transaction(async (db) => {
      for (const part of features) await releaseFeatures(db, lockId, part)
      const lock = await findLock(db, lockId, this.#time())
      if (lock !== undefined) await postponeLock(db, lockId, this.#time(lock.seconds))
    })
  }

  #time(seconds = 0) {
    return sharedTime(this.#database, this.#clock, seconds)
  }
}

/** Rolls a lock back: another server has locked one of its features. */
class LockedMeanwhile extends Error {}

const maxAttempts = 5
/** Time for which an expired lock is told apart from an unknown one. */
const rememberedSeconds = 86_400
