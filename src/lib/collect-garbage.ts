/** After the first work of a thread, which has read its code, and after others. */
const firstQuietMs = 50
const quietMs = 1000

/**
 * Collects what is garbage by now among what was made last, which takes a millisecond: V8 does not count the memory of arrays when it
 * decides about that, and lets up to 64 MB of it wait. Does nothing without `--expose-gc`.
 */
export function collectYoungGarbage(): void {
  globalThis.gc?.({ type: 'minor' })
}

/** Collects garbage when a thread is quiet after work: by itself V8 waits for the next work. Does nothing without `--expose-gc`. */
export class QuietCollector {
  readonly #isQuiet: () => boolean
  #timer: NodeJS.Timeout | undefined
  #waitMs = firstQuietMs

  constructor(isQuiet: () => boolean) {
    this.#isQuiet = isQuiet
  }

  /** To be called when a piece of work has ended. */
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
