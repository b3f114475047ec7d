/**
 * Measures how long concurrent items occupy a number of workers. While more items run than there are workers, each
 * item counts its share of the time.
 */
export class SharedTime {
  readonly #workers: number
  readonly #now: () => number
  #running = 0
  /** Share of one item since the start, in milliseconds, as of `#at`. */
  #shareMs = 0
  #at = 0

  /** `now` returns milliseconds. */
  constructor(workers: number, now: () => number = () => performance.now()) {
    this.#workers = workers
    this.#now = now
  }

  /** Begins an item. The returned function ends it and returns its seconds; call it once. */
  begin(): () => number {
    this.#advance()
    this.#running += 1
    const before = this.#shareMs
    return () => {
      this.#advance()
      this.#running -= 1
      return (this.#shareMs - before) / 1000
    }
  }

  #advance(): void {
    const now = this.#now()
    if (this.#running > 0) this.#shareMs += (now - this.#at) * Math.min(1, this.#workers / this.#running)
    this.#at = now
  }
}
