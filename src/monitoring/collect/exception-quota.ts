const minutesKept = 60

/** Limits the number of stored exceptions per minute, so that a failing server does not fill the disk. */
export class ExceptionQuota {
  readonly #perMinute: number
  readonly #counts = new Map<number, number>()

  constructor(perMinute = 100) {
    this.#perMinute = perMinute
  }

  /** True if an exception of this time (milliseconds since 1970) is to be stored. */
  take(created: number): boolean {
    const minute = Math.floor(created / 60_000)
    const count = this.#counts.get(minute) ?? 0
    if (count >= this.#perMinute) return false
    this.#counts.set(minute, count + 1)
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined && this.#counts.size > minutesKept) this.#counts.delete(oldest)
    return true
  }

  /** Stores admitted exceptions; if that fails, or another server has stored them, returns their quota. */
  async whileKept(
    exceptions: readonly { created: number }[],
    keep: () => Promise<boolean>,
  ): Promise<boolean> {
    let isKept = false
    try {
      isKept = await keep()
    } finally {
      if (!isKept) this.#giveBack(exceptions)
    }
    return isKept
  }

  #giveBack(exceptions: readonly { created: number }[]): void {
    for (const { created } of exceptions) {
      const minute = Math.floor(created / 60_000)
      const count = this.#counts.get(minute)
      if (count !== undefined && count > 0) this.#counts.set(minute, count - 1)
    }
  }
}
