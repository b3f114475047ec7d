/** Ends when `before` has, or throws the signal's reason when that aborts first. */
async function turn(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) {
    await before
    return
  }
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = (): void => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    await Promise.race([before, promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** Lets one at a time work under a key; the others wait in the order they came. */
export class ImportLocks {
  readonly #tails = new Map<string, Promise<unknown>>()

  /** A waiter leaves the line when `signal` aborts; work that has begun has to see to it itself. */
  async hold<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const mine = turn(before, signal).then(work)
    const tail = Promise.allSettled([before, mine])
    this.#tails.set(key, tail)
    try {
      return await mine
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }

  /** Edits of one import stand in line. */
  ofImport<T>(importId: number, work: () => Promise<T>): Promise<T> {
    return this.hold(`import ${importId}`, work)
  }
}
