import type { Keep } from '../../config/monitoring-settings.ts'
import type { CaughtException, RequestEvent, Sample } from './request-event.ts'

/** How far a source has been read: opaque to the series. */
export interface CursorMove {
  /** Names the source, such as `log:7`. */
  source: string
  /** What `cursor` gave before the batch was read; undefined where it gave nothing. */
  from: string | undefined
  to: string
}

export interface Batch {
  events?: readonly RequestEvent[]
  exceptions?: readonly CaughtException[]
  samples?: readonly Sample[]
  /** Moved in the same transaction as the rest is written, so that nothing is counted twice or left out. */
  cursor?: CursorMove
  /** Comes often and in small pieces: those of a second stand in the log as one. */
  isFrequent?: boolean
}

export interface SettleReport {
  /** Minutes of services that were computed. */
  periods: number
  /** Requests they were computed from. */
  requests: number
  /** Requests left out because they are older than anything that is kept. */
  dropped: number
  /** Whether closed periods are left for the next call. */
  hasMore: boolean
}

/**
 * Writes the series. Every method is one or several short transactions; a kill between two of them loses and doubles
 * nothing. One at a time in a process; several processes on one PostgreSQL do not disturb each other.
 */
export interface SeriesWriter {
  cursor(source: string): Promise<string | undefined>
  /**
   * Writes a batch to the request log and marks its periods as to be computed. Gives false, with nothing written, when
   * the cursor does not stand at `cursor.from`: somebody else has collected the same.
   */
  append(batch: Batch): Promise<boolean>
  /**
   * Computes periods that ended by `now` (milliseconds since 1970) and of which something new is known, each from all
   * its requests; rolls closed hours and days up. A bounded piece of work: call again while `hasMore`.
   */
  settle(now: number): Promise<SettleReport>
  /** Removes what is older than is to be kept, in bounded pieces; gives whether more is left to remove. */
  retain(now: number, keep: Keep): Promise<boolean>
  /** Removes everything of a service. */
  removeService(serviceId: number): Promise<void>
  close(): Promise<void>
}
