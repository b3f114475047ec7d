interface PromiseCacheOptions<Result> {
  /** Maximum number of results; the least recently used are removed. Default: unlimited. */
  limit?: number
  /** Time for which a failure is cached. Default: until the work has ended. */
  failureMs?: number
  /** Called with results that were removed because of the limit. */
  onRemoved?(result: Result): unknown
}

/** Caches results of work, which runs once for concurrent callers with the same key. */
export class PromiseCache<Key, Result> {
  readonly #options: PromiseCacheOptions<Result>
  /** The most recently used last. */
  readonly #results = new Map<Key, Promise<Result>>()

  constructor(options: PromiseCacheOptions<Result> = {}) {
    this.#options = options
  }

  get size(): number {
    return this.#results.size
  }

  /** Returns the cached result of the key, or that of `work`. */
  get(key: Key, work: () => Promise<Result>): Promise<Result> {
    const cached = this.#results.get(key)
    const result = cached ?? work()
    this.#results.delete(key)
    this.#results.set(key, result)
    if (cached === undefined) {
      result.catch(() => this.#forgetFailure(key, result))
      this.#removeOldest()
    }
    return result
  }

  /** Waits until all work has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#results.values())
  }

  #forgetFailure(key: Key, result: Promise<Result>): void {
    const forget = (): void => {
      if (this.#results.get(key) === result) this.#results.delete(key)
    }
    const { failureMs } = this.#options
    if (failureMs === undefined) forget()
    else setTimeout(forget, failureMs).unref()
  }

  #removeOldest(): void {
    const { limit = Number.POSITIVE_INFINITY, onRemoved } = this.#options
    for (const [key, result] of this.#results) {
      if (this.#results.size <= limit) return
      this.#results.delete(key)
      result.then(onRemoved).catch(() => undefined)
    }
  }
}
