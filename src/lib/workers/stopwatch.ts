/**
 * Calls `onOver` when it has run for `limitMs` in all. What has come in meanwhile is
 * looked at first, so that a busy thread does not take its own delay for another's.
 */
export class Stopwatch {
  readonly #limitMs: number
  readonly #onOver: (limitMs: number) => void
  #spentMs = 0
  #runsSince: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number, onOver: (limitMs: number) => void) {
    this.#limitMs = limitMs
    this.#onOver = onOver
  }

  run(): void {
    if (this.#runsSince !== undefined) return
    this.#runsSince = performance.now()
    this.#timer = setTimeout(() => this.#look(), Math.max(0, this.#limitMs - this.#spentMs))
  }

  pause(): void {
    if (this.#runsSince === undefined) return
    this.#spentMs += performance.now() - this.#runsSince
    this.#runsSince = undefined
    clearTimeout(this.#timer)
  }

  /** Begins at zero again; does not start or stop it. */
  reset(): void {
    this.#spentMs = 0
    if (this.#runsSince !== undefined) this.#runsSince = performance.now()
  }

  stop(): void {
    this.pause()
  }

  #look(): void {
    setImmediate(() => {
      if (this.#runsSince === undefined) return
      this.pause()
      if (this.#spentMs >= this.#limitMs) this.#onOver(this.#limitMs)
      else this.run()
    })
  }
}
