import type { FailureKind, FieldMessages } from '../../lib/errors.ts'
import { Failure, FieldFailure, invalid } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { CalledWorker } from '../../lib/worker-calls.ts'
import type { SeriesPlace } from '../series/series-database.ts'
import type { MetricValue, MetricValueQuery } from './metric-value.ts'
import type { ReadOutcome } from './reads.ts'
import { readTimeLimitMs } from './reads.ts'

const maxWaiting = 100

export interface SeriesReaderOptions {
  place: SeriesPlace
  /** The thread's file, which calls `serveReads`. */
  entry: URL
  log: Logger
}

interface Question {
  name: string
  argument: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Asks the series in a thread of its own, one question at a time; the thread is started by the first question, and
 * anew when it has died.
 */
export class SeriesReader {
  readonly #options: SeriesReaderOptions
  readonly #waiting: Question[] = []
  #worker: CalledWorker | undefined
  #isBusy = false
  #isClosed = false

  constructor(options: SeriesReaderOptions) {
    this.#options = options
  }

  /**
   * The answer of the read of that name. Throws what the read throws, and `Failure`: `tooMany` when too many questions
   * wait, `invalid` when the answer takes more than 30 s. Who gives up by `signal` while waiting costs nothing more.
   */
  async read<T>(name: string, argument?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new Failure('unavailable', 'stopping', 'The server is stopping')
    if (this.#waiting.length >= maxWaiting)
      throw new Failure('tooMany', 'too-many-queries', `${maxWaiting} queries wait already: try again later`)
    const answer = new Promise<unknown>((resolve, reject) => {
      const question = { name, argument, resolve, reject }
      this.#waiting.push(question)
      signal?.addEventListener('abort', () => this.#giveUp(question, signal.reason), { once: true })
    })
    void this.#work()
    return (await answer) as T
  }

  /** One number for checks. */
  metricValue(query: MetricValueQuery): Promise<MetricValue> {
    return this.read('metricValue', query)
  }

  /** Ends the thread; questions that wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0))
      reject(new Failure('unavailable', 'stopping', 'The server is stopping'))
    await this.#worker?.terminate()
  }

  #giveUp(question: Question, reason: unknown): void {
    const place = this.#waiting.indexOf(question)
    if (place < 0) return
    this.#waiting.splice(place, 1)
    question.reject(reason)
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (let question = this.#waiting.shift(); question !== undefined; question = this.#waiting.shift()) {
      try {
        question.resolve(await this.#ask(question))
      } catch (error) {
        question.reject(error)
      }
    }
    this.#isBusy = false
  }

  async #ask({ name, argument }: Question): Promise<unknown> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const tooLong = Promise.withResolvers<never>()
    const timer = setTimeout(() => tooLong.reject(takesTooLong()), readTimeLimitMs)
    try {
      return opened(await Promise.race([worker.call<ReadOutcome>(name, argument), tooLong.promise]))
    } catch (error) {
      if (error instanceof Failure && error.code === 'query-too-long') await this.#end(worker)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  #start(): CalledWorker {
    const { place, entry, log } = this.#options
    const worker = new CalledWorker(entry, {
      data: place,
      onEnd: (error) => {
        if (this.#worker !== worker) return
        this.#worker = undefined
        if (!this.#isClosed) log.error({ err: error }, 'the thread that reads the series has ended')
      },
    })
    return worker
  }

  async #end(worker: CalledWorker): Promise<void> {
    if (this.#worker === worker) this.#worker = undefined
    await worker.terminate()
  }
}

function takesTooLong(): Failure {
  return invalid(
    'query-too-long',
    `The query takes longer than ${readTimeLimitMs / 1000} s: ask for a shorter window, a longer interval, or one service, resource or label`,
  )
}

function opened(outcome: ReadOutcome): unknown {
  if ('result' in outcome) return outcome.result
  const { kind, code, message, errors, fields } = outcome.failure
  if (fields !== undefined)
    throw new FieldFailure(fields as FieldMessages, { kind: kind as FailureKind, code })
  throw new Failure(kind as FailureKind, code, message, { errors })
}
