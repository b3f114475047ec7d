/** Runs work once for concurrent callers with the same key. */
export class SingleFlight<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>()

  /** True if work for the key is running. */
  has(key: Key): boolean {
    return this.#running.has(key)
  }

  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const result = work().finally(() => this.#running.delete(key))
    this.#running.set(key, result)
    result.catch(() => undefined)
    return result
  }

  /** Waits until the running work has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}
