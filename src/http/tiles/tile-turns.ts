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
    const deadline = AbortSignal.timeout(this.#deadlineMs)
    this.#underWay += 1
    try {
      return await make(AbortSignal.any([client, deadline]))
    } catch (error) {
      if (client.aborted) return undefined
      if (!deadline.aborted) throw error
      const text = `The tile took longer than ${this.#deadlineMs / 1000} s: try again later`
      throw new Failure('unavailable', 'tile-too-slow', text, { retryAfterSeconds, cause: error })
    } finally {
      this.#underWay -= 1
    }
  }
}
