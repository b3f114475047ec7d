import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './connection.ts'

/**
 * Returns the time of the database as ISO 8601 text in UTC, plus `seconds`. Leases compare only such times, so
 * the clocks of several servers need not agree.
 */
export function databaseTime(kind: Database['kind'], seconds = 0): RawBuilder<string> {
  return kind === 'sqlite'
    ? sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`
    : sql<string>`to_char((clock_timestamp() + ${seconds} * interval '1 second') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
