import { Transfer } from '../../lib/workers/handlers.ts'
import type { SeriesDatabase } from '../series/series-database.ts'

/** A question to the series; it sees one state of them. What it gives is copied to the main thread, or a `Transfer`. */
export type Read = (database: SeriesDatabase, argument: never) => Promise<unknown>

/** What a reader thread answers, by name. */
export type Reads = Record<string, Read>

/** What a reader thread does, for its callers. */
export type ReadHandlers<R extends Reads> = {
  readonly [K in keyof R]: (argument: Parameters<R[K]>[1]) => ReturnType<R[K]>
}

/** How long a question may take. */
export const readTimeLimitMs = 30_000

/** A read whose answer is written out in the thread of the reader, so that a large one costs the main thread nothing. */
export function written<Q, D, A extends { query: Q }>(
  read: (database: SeriesDatabase, query: Q) => Promise<D>,
  write: (asked: A, found: D) => Uint8Array,
): (database: SeriesDatabase, asked: A) => Promise<Transfer<Uint8Array>> {
  return async (database, asked) => {
    const bytes = write(asked, await read(database, asked.query))
    return new Transfer(bytes, [bytes.buffer as ArrayBuffer])
  }
}
