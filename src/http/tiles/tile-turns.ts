import { Failure } from '../../lib/errors.ts'
import type { FastifyReply } from '../app-types.ts'
import { clientSignal } from '../client-signal.ts'

/** Tiles under way at the same time; at some hundred a second more would wait for seconds. */
const mostTiles = 500
/** The most that a tile may take, with its wait for a reader. */
const deadlineMs = 20_000
const retryAfterSeconds = 2

/** Tiles that are being made: not too many at once, each with an end. */
export class TileTurns {
  readonly #most: number
  readonly #deadlineMs: number
  #underWay = 0

  constructor(limits: { most?: number; deadlineMs?: number } = {}) {
    this.#most = limits.most ?? mostTiles
    this.#deadlineMs = limits.deadlineMs ?? deadlineMs
  }

  /**
   * Gives what `make` gives; undefined where the client went away, whose work ends then. Throws `Failure` (`unavailable`)
   * where too many are under way, or it takes too long.
   */
  async run<T>(reply: FastifyReply, make: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    if (this.#underWay >= this.#most)
      throw new Failure('unavailable', 'too-many-tiles', 'Too many tiles are being made: try again soon', {
        retryAfterSeconds,
      })
    const client = clientSignal(reply)
    // A timer that ends with the tile: that of `AbortSignal.timeout` goes off in any case, which costs more than the rest.
    const work = new AbortController()
    const giveUp = (): void => work.abort(client.reason)
    client.addEventListener('abort', giveUp, { once: true })
    const timer = setTimeout(() => work.abort(new Error('The tile took too long')), this.#deadlineMs)
    this.#underWay += 1
    try {
      return await make(work.signal)
    } catch (error) {
      if (client.aborted) return undefined
      if (!work.signal.aborted) throw error
      const text = `The tile took longer than ${this.#deadlineMs / 1000} s: try again later`
      throw new Failure('unavailable', 'tile-too-slow', text, { retryAfterSeconds, cause: error })
    } finally {
      clearTimeout(timer)
      client.removeEventListener('abort', giveUp)
      this.#underWay -= 1
    }
  }
}
