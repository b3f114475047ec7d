/**
 * Work shared by several callers: a call gets a run that starts after the call, together with all calls until
 * then.
 */
export class Rounds<Key, Result> {
  readonly #waiting = new Map<Key, Promise<Result>>()
  readonly #running = new Map<Key, Promise<unknown>>()

  join(key: Key, work: () => Promise<Result>): Promise<Result> {
    const known = this.#waiting.get(key)
    if (known !== undefined) return known
    const round = this.#run(key, work)
    this.#waiting.set(key, round)
    return round
  }

  async #run(key: Key, work: () => Promise<Result>): Promise<Result> {
    await this.#running.get(key)?.catch(() => undefined)
    // Calls of the same event loop iteration share the round.
    await new Promise((resolve) => setImmediate(resolve))
    const round = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (round !== undefined) this.#running.set(key, round)
    try {
      return await work()
    } finally {
      if (this.#running.get(key) === round) this.#running.delete(key)
    }
  }
}
