import type { Unwrapped } from '../../core/workers/handlers.ts'
import { Transfer } from '../../core/workers/handlers.ts'
import type { SeriesDatabase } from '../series/series-database.ts'

/** Limits of one read. */
export interface SeriesReadLimits {
  /** True if the read must throw `HeavyRead` instead of reading more than `rowsPerRead` stored rows. */
  isLight: boolean
  /**
   * Approximate number of stored rows that a light read, and a slice of a heavy one, may read. Looking up a
   * series counts as a row.
   */
  rowsPerRead: number
  /** Maximum number of rows of a result, over all its slices. */
  maxRows: number
}

/**
 * A query of the series, which sees one snapshot. The result is copied to the main thread, or is a
 * `Transfer`. The result of a read with a large result is a `Slice`.
 */
export type Read = (database: SeriesDatabase, argument: never, limits: SeriesReadLimits) => Promise<unknown>

/** Reads of a reader thread, by name. */
export type Reads = Record<string, Read>

export interface ReadCall<A> {
  argument: A
  limits: SeriesReadLimits
}

/** Result of a read; `heavy` if a light read turned out to be heavy, so that nothing was read. */
export type ReadReply<T> = { result: T } | 'heavy'

/** Handlers of a reader thread, for its callers. */
export type SeriesReadHandlers<R extends Reads> = {
  readonly [K in keyof R]: (
    call: ReadCall<Parameters<R[K]>[1]>,
  ) => Promise<ReadReply<Unwrapped<Awaited<ReturnType<R[K]>>>>>
}

/** A part of a large result. */
export interface Slice<A> {
  bytes: Uint8Array<ArrayBuffer>
  /** Argument of the read for the next part; undefined after the last part. */
  next: A | undefined
}

/**
 * Time limit of one read, for a database that hangs. A read takes about 0.1 s, so even a busy machine does
 * not reach the limit.
 */
export const readTimeLimitMs = 600_000

/** Thrown by a light read that turns out to be heavy, before its work begins. */
export class HeavyRead extends Error {
  constructor() {
    super('The read is heavy')
    this.name = 'HeavyRead'
  }
}

/** Transfers the bytes of a slice to the main thread. */
export function transferSlice<A>(slice: Slice<A>): Transfer<Slice<A>> {
  return new Transfer(slice, [slice.bytes.buffer])
}
