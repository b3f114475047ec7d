import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../core/db/connection.ts'
import { databaseTime } from '../core/db/database-time.ts'
import { forgetSeconds, secondsAfter, type Throttle, type ThrottledKey, throttledKeys } from './throttle.ts'

/** The throttle of servers that share a PostgreSQL database: they count failures together, in the time of the database. */
export class SharedThrottle implements Throttle {
  readonly #database: Pick<Database, 'kysely' | 'kind'>

  constructor(database: Pick<Database, 'kysely' | 'kind'>) {
    this.#database = database
  }

  async secondsToWait(address: string, account?: string): Promise<number> {
    const limits = new Map(throttledKeys(address, account).map((one) => [storedKey(one), one.free]))
    const rows = await this.#database.kysely
      .selectFrom('failed_logins')
      .select(['key', 'failures'])
      .select(
        sql<number>`extract(epoch from clock_timestamp() - last_at::timestamptz)::float8`.as('ageSeconds'),
      )
      .where('key', 'in', [...limits.keys()])
      .execute()
    const waits = rows.map(({ key, failures, ageSeconds }) =>
      Math.ceil(secondsAfter(failures, limits.get(key) ?? 0) - ageSeconds),
    )
    return Math.max(0, ...waits)
  }

  async attempt(address: string, account?: string): Promise<void> {
    const { kysely, kind } = this.#database
    const now = databaseTime(kind)
    const oldest = databaseTime(kind, -forgetSeconds)
    await kysely.deleteFrom('failed_logins').where('last_at', '<', oldest).execute()
    const values = throttledKeys(address, account).map((one) => ({
      key: storedKey(one),
      failures: 1,
      last_at: now,
    }))
    await kysely
      .insertInto('failed_logins')
      .values(values)
      .onConflict((conflicting) =>
        conflicting
          .column('key')
          .doUpdateSet((eb) => ({ failures: eb('failed_logins.failures', '+', 1), last_at: now })),
      )
      .execute()
  }

  async succeed(address: string, account?: string): Promise<void> {
    const { kysely } = this.#database
    const [network, own] = throttledKeys(address, account).map(storedKey)
    if (own !== undefined) await kysely.deleteFrom('failed_logins').where('key', '=', own).execute()
    await kysely
      .updateTable('failed_logins')
      .set((eb) => ({ failures: eb('failures', '-', 1) }))
      .where('key', '=', network ?? '')
      .where('failures', '>', 0)
      .execute()
  }
}

/** Of equal length, whatever a client sends as a user name. */
function storedKey({ key }: ThrottledKey): string {
  return createHash('sha256').update(key).digest('base64url')
}
