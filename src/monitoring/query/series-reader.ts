import { Failure, invalid } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { CallParameters, ResultOf } from '../../lib/workers/handlers.ts'
import { startThread } from '../../lib/workers/start-thread.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'
import type { WorkerHandle } from '../../lib/workers/worker-handle.ts'
import type { SeriesPlace } from '../series/series-database.ts'
import type { coreReads } from './core-reads.ts'
import type { MetricValue, MetricValueQuery } from './metric-value.ts'
import type { ReadHandlers, Reads } from './reads.ts'
import { readTimeLimitMs } from './reads.ts'

const maxWaiting = 100

export interface SeriesReaderOptions {
  place: SeriesPlace
  /** The thread's file, which calls `serveReads`. */
  entry: URL
  log: Logger
}

type Name<R> = Extract<keyof R, string>

/** The answer of the read of that name, as it crosses. */
export type ReadResult<R extends Reads, K extends Name<R>> = ResultOf<ReadHandlers<R>, K>

/**
 * Asks the series in a thread of its own, one question at a time; the thread is started by the first question, and
 * anew when it has died. `Reads` is what its file serves.
 */
export class SeriesReader<R extends Reads & typeof coreReads = typeof coreReads> {
  readonly #options: SeriesReaderOptions
  readonly #queue = new WorkQueue({ limit: 1, maxWaiting: { count: maxWaiting, refuse: tooMany } })
  #worker: WorkerHandle<ReadHandlers<R>> | undefined
  #isClosed = false

  constructor(options: SeriesReaderOptions) {
    this.#options = options
  }

  /**
   * The answer of the read of that name. Throws what the read throws, and `Failure`: `tooMany` when too many questions
   * wait, `invalid` when the answer takes more than 30 s. Who gives up by `signal` while waiting costs nothing more.
   */
  read<K extends Name<R>>(
    name: K,
    argument: Parameters<R[K]>[1],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<ReadResult<R, K>> {
    return this.#queue.run(() => this.#ask(name, argument), { signal })
  }

  /** One number for checks. */
  metricValue(query: MetricValueQuery): Promise<MetricValue> {
    const value = this.read('metricValue' as Name<R>, query as Parameters<R[Name<R>]>[1])
    return value as Promise<MetricValue>
  }

  /** Ends the thread; questions that wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.close(new Failure('unavailable', 'stopping', 'The server is stopping'))
    await this.#worker?.end()
  }

  async #ask<K extends Name<R>>(name: K, argument: Parameters<R[K]>[1]): Promise<ReadResult<R, K>> {
    this.#worker ??= this.#start()
    const parameters = [argument, { deadlineMs: readTimeLimitMs }]
    try {
      return await this.#worker.call(name, ...(parameters as CallParameters<ReadHandlers<R>, K>))
    } catch (error) {
      if (error instanceof Failure && error.code === 'too-slow') throw takesTooLong()
      throw error
    }
  }

  #start(): WorkerHandle<ReadHandlers<R>> {
    const { place, entry, log } = this.#options
    const worker = startThread<ReadHandlers<R>>(entry, {
      data: place,
      onEnd: (error) => {
        if (this.#worker === worker) this.#worker = undefined
        if (!this.#isClosed) log.error({ err: error }, 'the thread that reads the series has ended')
      },
    })
    return worker
  }
}

function tooMany(): Failure {
  return new Failure('tooMany', 'too-many-queries', `${maxWaiting} queries wait already: try again later`)
}

function takesTooLong(): Failure {
  return invalid(
    'query-too-long',
    `The query takes longer than ${readTimeLimitMs / 1000} s: ask for a shorter window, a longer interval, or one service, resource or label`,
  )
}
