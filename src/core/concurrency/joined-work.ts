import { orAborted } from './or-aborted.ts'

interface Work<Result> {
  result: Promise<Result>
  abort: AbortController
  waiting: number
  isOver: boolean
}

/** Runs the same work once for all concurrent callers, and aborts it when the last caller has left. */
export class JoinedWork<Result> {
  readonly #works = new Map<string, Work<Result>>()

  /** Number of running items. */
  get size(): number {
    return this.#works.size
  }

  async join(
    key: string,
    begin: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted()
    const work = this.#works.get(key) ?? this.#start(key, begin)
    work.waiting += 1
    try {
      return await orAborted(work.result, signal)
    } finally {
      work.waiting -= 1
      if (work.waiting === 0) this.#leave(key, work)
    }
  }

  #start(key: string, begin: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const abort = new AbortController()
    const result = begin(abort.signal)
    const work = { result, abort, waiting: 0, isOver: false }
    this.#works.set(key, work)
    const forget = (): void => {
      work.isOver = true
      this.#forget(key, work)
    }
    result.then(forget, forget)
    return work
  }

  /** The last caller has left: later callers must not join work that is being aborted. */
  #leave(key: string, work: Work<Result>): void {
    this.#forget(key, work)
    if (!work.isOver) work.abort.abort(new Error('All callers have cancelled'))
  }

  #forget(key: string, work: Work<Result>): void {
    if (this.#works.get(key) === work) this.#works.delete(key)
  }
}
