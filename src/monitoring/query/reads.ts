import type { SeriesDatabase } from '../series/series-database.ts'

/** A question to the series; it sees one state of them. What it gives is copied to the main thread, or a `Transfer`. */
export type Read = (database: SeriesDatabase, argument: never) => Promise<unknown>

/** What a reader thread answers, by name. */
export type Reads = Record<string, Read>

/** What crosses between the threads; failures lose their class on the way. */
export type ReadOutcome =
  | { result: unknown }
  | { failure: { kind: string; code: string; message: string; errors: string[]; fields?: unknown } }

/** How long a question may take. */
export const readTimeLimitMs = 30_000
