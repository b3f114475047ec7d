import type { LoggedBlock } from './append.ts'
import { toBlocks } from './append.ts'
import type { RequestEvent } from './request-event.ts'
import type { SeriesDatabase } from './series-database.ts'

const longestMs = 1000
const maxEvents = 500

/**
 * A batch of the log that further requests can still be added to, so that the log does not consist of many
 * small batches.
 */
export class OpenBatch {
  readonly #number: number
  readonly #events: RequestEvent[]
  readonly #blocks: readonly LoggedBlock[]
  readonly #openedAt: number

  /** `blocks`: the events as they were written. */
  constructor(
    number: number,
    events: readonly RequestEvent[],
    blocks: readonly LoggedBlock[],
    openedAt = performance.now(),
  ) {
    this.#number = number
    this.#events = [...events]
    this.#blocks = blocks
    this.#openedAt = openedAt
  }

  /**
   * Removes the batch from the log and returns it together with these requests, to be written in the same
   * transaction; undefined if it is too old or too large, or if one of its minutes has been computed: each
   * batch counts once.
   */
  async reopen(database: SeriesDatabase, events: readonly RequestEvent[]): Promise<Reopened | undefined> {
    if (performance.now() - this.#openedAt > longestMs || this.#events.length >= maxEvents) return undefined
    const batch = this.#number
    for (const { minute, serviceId } of this.#blocks) {
      const dirty = await database.arrays(
        'select 1 from monitoring_dirty where minute = ? and service_id = ? and batch = ?',
        [minute, serviceId, batch],
      )
      if (dirty.length === 0) return undefined
    }
    for (const { minute, serviceId } of this.#blocks)
      await database.run(
        'delete from monitoring_requests where minute = ? and service_id = ? and batch = ?',
        [minute, serviceId, batch],
      )
    const all = [...this.#events, ...events]
    const blocks = toBlocks(all)
    return { batch, blocks, next: new OpenBatch(batch, all, blocks, this.#openedAt) }
  }
}

export interface Reopened {
  batch: number
  blocks: readonly LoggedBlock[]
  /** Replaces the batch once the transaction is committed. */
  next: OpenBatch
}
