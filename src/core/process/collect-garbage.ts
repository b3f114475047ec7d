/**
 * Idle time before a collection: after the first work of a thread, which loads its code, and after later
 * work.
 */
const firstQuietMs = 50
const quietMs = 1000

/**
 * Collects the young generation, which takes about a millisecond. V8 ignores the memory of array buffers when
 * it schedules collections and lets up to 64 MB of it accumulate. Does nothing without `--expose-gc`.
 */
export function collectYoungGarbage(): void {
  globalThis.gc?.({ type: 'minor' })
}

/**
 * Collects garbage when a thread becomes idle after work; V8 alone waits for the next allocation. Does
 * nothing without `--expose-gc`.
 */
export class QuietCollector {
  readonly #isQuiet: () => boolean
  #timer: NodeJS.Timeout | undefined
  #waitMs = firstQuietMs

  constructor(isQuiet: () => boolean) {
    this.#isQuiet = isQuiet
  }

  /** Schedules a collection. Call when a piece of work has ended. */
  worked(): void {
    const { gc } = globalThis
    if (gc === undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (!this.#isQuiet()) return
      this.#waitMs = quietMs
      gc()
    }, this.#waitMs).unref()
  }
}
