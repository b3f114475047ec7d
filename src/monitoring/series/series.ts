import type { Retention } from '../../core/config/monitoring-settings.ts'
import type { CaughtException, RequestEvent, Sample } from './request-event.ts'

/** Read position of a source, opaque to the series. */
export interface CursorMove {
  /** Name of the source, such as `log:7`. */
  source: string
  /** Result of `cursor` before the batch was read; undefined if there was none. */
  from: string | undefined
  to: string
}

export interface Batch {
  events?: readonly RequestEvent[]
  exceptions?: readonly CaughtException[]
  samples?: readonly Sample[]
  /** Moved in the transaction that writes the batch, so that nothing is counted twice or lost. */
  cursor?: CursorMove
  /** True for frequent small batches: those of one second are logged as one. */
  isFrequent?: boolean
}

export interface RollUpReport {
  /** Minutes of services that were computed. */
  periods: number
  /** Requests they were computed from. */
  requests: number
  /** Requests dropped because they are older than the retention period. */
  dropped: number
  /** True if closed periods remain for the next call. */
  hasMore: boolean
}

/**
 * Writes the series. Every method is one or several short transactions; a kill between two of them loses and
 * duplicates nothing. One writer per process; several processes may share one PostgreSQL database.
 */
export interface SeriesWriter {
  cursor(source: string): Promise<string | undefined>
  /**
   * Writes a batch to the request log and marks its periods to be computed. Returns false without writing if
   * the cursor is not at `cursor.from`: another process has collected the same data.
   */
  append(batch: Batch): Promise<boolean>
  /**
   * Computes periods with new requests that ended by `now` (milliseconds since 1970), each from all its
   * requests; rolls up closed hours and days. Does a bounded amount of work; call again while `hasMore` is
   * true.
   */
  settle(now: number): Promise<RollUpReport>
  /** Deletes expired data in bounded pieces; returns true if more remains. */
  retain(now: number, keep: Retention): Promise<boolean>
  /** Removes all data of a service. */
  removeService(serviceId: number): Promise<void>
  close(): Promise<void>
}
