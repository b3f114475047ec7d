/** The limits of a queue. */
export interface WorkQueueOptions {
  /** At a time altogether; default: as many as come. */
  limit?: number
  /** Most that wait; whoever comes then is refused by this error. */
  maxWaiting?: { count: number; refuse(): Error }
}

/** Behind whom a piece of work waits, and until when. */
export interface PlaceOptions {
  /** One at a time for each key; without it only the limit counts. */
  key?: string | undefined
  /** Whoever waits leaves when it aborts; what has begun has to see to it itself. */
  signal?: AbortSignal | undefined
}

interface Waiter {
  key: string | undefined
  begin(): void
  refuse(reason: unknown): void
}

/**
 * Work in the order in which it came: so much at a time altogether, and one at a time for each key. Work that holds a
 * key must not wait for the same key.
 */
export class WorkQueue {
  readonly #limit: number
  readonly #maxWaiting: WorkQueueOptions['maxWaiting']
  /** Those whose key is free, and who wait for the limit alone. */
  readonly #ready: Waiter[] = []
  /** Those behind another of their key; a key is here while somebody holds it or is ready with it. */
  readonly #lines = new Map<string, Waiter[]>()
  #running = 0
  #waiting = 0
  #closed: { reason: unknown } | undefined

  constructor({ limit = Number.POSITIVE_INFINITY, maxWaiting }: WorkQueueOptions = {}) {
    this.#limit = limit
    this.#maxWaiting = maxWaiting
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Does the work when its turn comes. Work that fails does not keep the next from its turn. */
  async run<T>(work: () => Promise<T> | T, options: PlaceOptions = {}): Promise<T> {
    const leave = this.enterNow(options) ?? (await this.enter(options))
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Waits for a turn; call what it returns when it is over. */
  async enter({ key, signal }: PlaceOptions = {}): Promise<() => void> {
    const now = this.enterNow({ key, signal })
    if (now !== undefined) return now
    await this.#wait(key, signal)
    return this.#leaving(key)
  }

  /** As `enter`, without a wait: undefined where it is nobody's turn yet. */
  enterNow({ key, signal }: PlaceOptions = {}): (() => void) | undefined {
    signal?.throwIfAborted()
    if (this.#closed !== undefined) throw this.#closed.reason
    if (!this.#mayBegin(key)) return undefined
    this.#take(key)
    return this.#leaving(key)
  }

  #leaving(key: string | undefined): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#leave(key)
    }
  }

  /** Whoever waits, and whoever comes, is refused by `reason`; what has begun goes on. */
  close(reason: unknown): void {
    this.#closed = { reason }
    for (const waiter of [...this.#ready, ...[...this.#lines.values()].flat()]) waiter.refuse(reason)
  }

  #mayBegin(key: string | undefined): boolean {
    if (this.#running >= this.#limit || this.#ready.length > 0) return false
    return key === undefined || !this.#lines.has(key)
  }

  #take(key: string | undefined): void {
    this.#running += 1
    if (key !== undefined && !this.#lines.has(key)) this.#lines.set(key, [])
  }

  async #wait(key: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    const maxWaiting = this.#maxWaiting
    if (maxWaiting !== undefined && this.#waiting >= maxWaiting.count) throw maxWaiting.refuse()
    const turn = Promise.withResolvers<void>()
    const waiter: Waiter = {
      key,
      begin: turn.resolve,
      refuse: (reason) => this.#refuse(waiter, turn, reason),
    }
    const abort = (): void => waiter.refuse(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting += 1
    this.#place(waiter)
    try {
      await turn.promise
    } finally {
      this.#waiting -= 1
      signal?.removeEventListener('abort', abort)
    }
  }

  #place(waiter: Waiter): void {
    const line = waiter.key === undefined ? undefined : this.#lines.get(waiter.key)
    if (line !== undefined) line.push(waiter)
    else {
      if (waiter.key !== undefined) this.#lines.set(waiter.key, [])
      this.#ready.push(waiter)
    }
  }

  #refuse(waiter: Waiter, turn: PromiseWithResolvers<void>, reason: unknown): void {
    const at = this.#ready.indexOf(waiter)
    if (at >= 0) {
      this.#ready.splice(at, 1)
      this.#freeKey(waiter.key)
    } else if (waiter.key !== undefined) {
      const line = this.#lines.get(waiter.key) ?? []
      const place = line.indexOf(waiter)
      if (place < 0) return
      line.splice(place, 1)
    }
    turn.reject(reason)
  }

  #leave(key: string | undefined): void {
    this.#running -= 1
    this.#freeKey(key)
    this.#fill()
  }

  /** The next of its line has its key, and waits for the limit alone. */
  #freeKey(key: string | undefined): void {
    if (key === undefined) return
    const next = this.#lines.get(key)?.shift()
    if (next === undefined) this.#lines.delete(key)
    else this.#ready.push(next)
  }

  #fill(): void {
    while (this.#running < this.#limit) {
      const next = this.#ready.shift()
      if (next === undefined) return
      this.#running += 1
      next.begin()
    }
  }
}
