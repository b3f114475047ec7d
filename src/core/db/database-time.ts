import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Clock } from '../time/clock.ts'

/** Kinds of databases that the catalogue can have. */
export type DatabaseKind = 'sqlite' | 'postgres'

/**
 * Returns the time of the database as ISO 8601 text in UTC, plus `seconds`. Leases compare only such times, so
 * the clocks of several servers need not agree.
 */
export function databaseTime(kind: DatabaseKind, seconds = 0): RawBuilder<string> {
  return kind === 'sqlite'
    ? sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`
    : sql<string>`to_char((clock_timestamp() + ${seconds} * interval '1 second') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** A time in a statement: computed by the database, or a text. */
export type SharedTime = RawBuilder<string> | string

/**
 * Returns the time that all processes of a database compare, plus `seconds`: that of the database, or of `clock` for
 * an embedded database, which has one process.
 */
export function sharedTime({ kind }: { kind: DatabaseKind }, clock: Clock, seconds = 0): SharedTime {
  if (kind === 'postgres') return databaseTime(kind, seconds)
  return new Date(clock.now().getTime() + seconds * 1000).toISOString()
}
