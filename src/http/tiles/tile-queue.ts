import { workOwner } from '../../lib/acting.ts'
import { Failure } from '../../lib/errors.ts'
import type { FastifyReply } from '../app-types.ts'

/** Maximum number of concurrent tile requests; at some hundred per second more would wait for seconds. */
const mostTiles = 500
/** Share of them that one owner may use: the rest is reserved for others. */
const shareOfOwner = 0.75
const retryAfterSeconds = 2

/** Tiles that are being made: not too many at once, each with an end. */
export class TileQueue {
  readonly #most: number
  /** The deadline of a request: a tile may take it all, with its wait for a reader. */
  readonly #deadlineMs: number
  #underWay = 0
  /** By owner; only those that have some. */
  readonly #owned = new Map<string | undefined, number>()

  constructor(limits: { most?: number; deadlineMs: number }) {
    this.#most = limits.most ?? mostTiles
    this.#deadlineMs = limits.deadlineMs
  }

  /**
   * Returns the result of `make`; undefined if the client disconnected, which aborts the work. Throws
   * `Failure` (`unavailable`) if too many are running, or the work takes too long.
   */
  async run<T>(reply: FastifyReply, make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const owner = workOwner()
    const owned = this.#owned.get(owner) ?? 0
    if (this.#underWay >= this.#most || owned >= Math.ceil(this.#most * shareOfOwner))
      throw new Failure('unavailable', 'too-many-tiles', 'Too many tiles are being made: try again soon', {
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
    this.#underWay += 1
    this.#owned.set(owner, owned + 1)
    try {
      return await make(abort.signal)
    } catch (error) {
      if (end === 'left') return undefined
      if (end === undefined) throw error
      const text = `The tile took longer than ${this.#deadlineMs / 1000} s: try again later`
      throw new Failure('unavailable', 'tile-too-slow', text, { retryAfterSeconds, cause: error })
    } finally {
      clearTimeout(timer)
      this.#underWay -= 1
      this.#release(owner)
    }
  }

  #release(owner: string | undefined): void {
    const left = (this.#owned.get(owner) ?? 1) - 1
    if (left === 0) this.#owned.delete(owner)
    else this.#owned.set(owner, left)
  }
}
