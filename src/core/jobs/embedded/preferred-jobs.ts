const usualSeconds = 2

interface PreferredJob {
  kind: string
  /** Undefined while the job is being inserted. */
  id?: number
  /** On the clock of `performance.now()`. */
  untilMs: number
}

/**
 * Jobs that this server has queued and may claim before the others. Each reserves a slot until the server has claimed
 * it or its time has passed; a transaction that was rolled back leaves a reservation for that long.
 */
export class PreferredJobs {
  /** Time for which only the server that queued a job may claim it. */
  readonly seconds: number
  readonly #jobs = new Set<PreferredJob>()

  constructor(seconds: number = usualSeconds) {
    this.seconds = seconds
  }

  /** Reserves a slot; call `inserted` with the id of the job, or `cancel` if there is none. */
  reserve(kind: string): { inserted(id: number): void; cancel(): void } {
    const job: PreferredJob = { kind, untilMs: performance.now() + this.seconds * 1000 }
    this.#jobs.add(job)
    return {
      inserted: (id) => {
        job.id = id
      },
      cancel: () => void this.#jobs.delete(job),
    }
  }

  /** Returns the kind of each job that has a reservation. */
  kinds(): string[] {
    const nowMs = performance.now()
    for (const job of this.#jobs) if (job.untilMs <= nowMs) this.#jobs.delete(job)
    return [...this.#jobs].map(({ kind }) => kind)
  }

  /** Returns the ids of inserted jobs of these kinds. */
  idsOf(kinds: readonly string[]): number[] {
    return [...this.#jobs].flatMap(({ id, kind }) => (id !== undefined && kinds.includes(kind) ? [id] : []))
  }

  /** Ends the reservations of jobs that were claimed or given to the other servers. */
  forget(ids: readonly number[]): void {
    for (const job of this.#jobs) if (job.id !== undefined && ids.includes(job.id)) this.#jobs.delete(job)
  }
}

/** Calls a function after the latest of several delays that overlap, and now and then before. */
export class DelayedCall {
  readonly #call: () => void
  #timer: NodeJS.Timeout | undefined
  #dueMs = 0

  constructor(call: () => void) {
    this.#call = call
  }

  /** Calls the function in `delayMs`: one timer serves all requests. */
  request(delayMs: number): void {
    this.#dueMs = performance.now() + delayMs
    this.#timer ??= this.#wait(delayMs)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      const leftMs = this.#dueMs - performance.now()
      this.#timer = leftMs > 0 ? this.#wait(leftMs) : undefined
      this.#call()
    }, delayMs).unref()
  }
}
