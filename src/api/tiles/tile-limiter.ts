import { workOwner } from '../../core/concurrency/acting.ts'
import { Failure } from '../../core/errors/errors.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import type { FastifyReply } from '../app-types.ts'

/** Maximum number of concurrent tile requests; at some hundred per second more would wait for seconds. */
const maxTiles = 500
/** Share of them that one owner may use: the rest is reserved for others. */
const shareOfOwner = 0.75
const retryAfterSeconds = 2

/** Limits concurrent requests for tiles and pictures, and the time of each. No request waits here. */
export class TileLimiter {
  readonly #running: WorkQueue
  /** The deadline of a request: a tile may take it all, with its wait for a reader. */
  readonly #deadlineMs: number

  constructor({ most = maxTiles, deadlineMs }: { most?: number; deadlineMs: number }) {
    this.#running = new WorkQueue({ limit: most, ownerLimit: Math.ceil(most * shareOfOwner) })
    this.#deadlineMs = deadlineMs
  }

  /**
   * Returns the result of `make`; undefined if the client disconnected, which aborts the work. Throws
   * `Failure` (`unavailable`) if too many are running, or the work takes too long.
   */
  async run<T>(reply: FastifyReply, make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const leave = this.#running.enterNow({ owner: workOwner() })
    if (leave === undefined)
      throw new Failure('unavailable', 'too-many-tiles', 'Too many tiles are being created: try again soon', {
        retryAfterSeconds,
      })
    // One signal for both causes: most tiles are available at once, and would pay for a second one too.
    const abort = new AbortController()
    let end: 'left' | 'late' | undefined
    const stop = (why: 'left' | 'late'): void => {
      end ??= why
      abort.abort(new Error(why === 'left' ? 'The client went away' : 'The tile took too long'))
    }
    const timer = setTimeout(stop, this.#deadlineMs, 'late')
    reply.raw.once('close', () => {
      if (!reply.raw.writableEnded) stop('left')
    })
    try {
      return await make(abort.signal)
    } catch (error) {
      if (end === 'left') return undefined
      if (end === undefined) throw error
      const text = `The tile took longer than ${this.#deadlineMs / 1000} s: try again later`
      throw new Failure('unavailable', 'tile-too-slow', text, { retryAfterSeconds, cause: error })
    } finally {
      clearTimeout(timer)
      leave()
    }
  }
}
