import { availableParallelism } from 'node:os'
import { Failure, invalid } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { CallParameters } from '../../core/workers/handlers.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { PlaceOptions } from '../../core/workers/work-queue.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import type { SeriesLocation } from '../series/series-database.ts'
import type { ReadReply, Reads, SeriesReadHandlers, SeriesReadLimits, Slice } from './reads.ts'
import { readTimeLimitMs } from './reads.ts'

/** Maximum number of waiting and running queries of one owner. */
const maxOfOwner = 100
/**
 * Maximum number of large results of one owner that are sent at the same time, since each holds two slices in
 * memory.
 */
const largeAnswersOfOwner = 4

export interface SeriesReaderOptions {
  location: SeriesLocation
  /** The thread's file, which calls `serveReads`. */
  entry: URL
  log: Logger
  /** Maximum number of rows of a result. */
  maxRows: number
  /** Threads for heavy reads. Default: half the processors, at most 2. */
  heavyThreads?: number
  /** Threads reserved for light reads. Default: 2. */
  lightThreads?: number
  /** Number of idle threads that are retained. Default: 0. */
  keptThreads?: number
}

/** Scheduling options of a query. */
export interface QueryOptions {
  /** Owner of the query. Owners share capacity fairly. */
  owner?: string | undefined
  signal?: AbortSignal | undefined
}

type PoolParameters<R extends Reads, K extends Name<R>> = CallParameters<
  SeriesReadHandlers<R>,
  K,
  Pick<PlaceOptions, 'owner' | 'isHeavy'>
>
type Name<R> = Extract<keyof R, string>
type Argument<R extends Reads, K extends keyof R> = Parameters<R[K]>[1]

/** Result of the read of that name, as transferred. */
export type ReadResult<R extends Reads, K extends Name<R>> =
  Awaited<ReturnType<SeriesReadHandlers<R>[K]>> extends ReadReply<infer T> ? T : never

/** Names of the reads whose results are sliced. */
export type SlicedName<R extends Reads> = {
  [K in Name<R>]: ReadResult<R, K> extends Slice<unknown> ? K : never
}[Name<R>]

export interface AnswerPart {
  bytes: Uint8Array<ArrayBuffer>
  isLast: boolean
}

/** Rows per light read or slice: 20 to 80 ms of work, and 3 MB of JSON. */
const rowsPerRead = 20_000
/**
 * Time until the thread of an abandoned read is terminated. Such a read usually ends by itself at once, and
 * starting new threads would cost more on a busy machine.
 */
const graceMs = 30_000
/** Time after which an idle thread ends. */
const idleMs = 60_000

/**
 * Runs queries of the series in threads. Each query starts as a light one. A light read that finds more than
 * `rowsPerRead` stored rows stops before it reads them and runs again as a heavy one, for which only some of
 * the threads are available. A heavy read of a large result is a series of calls, one per slice: each is
 * scheduled separately, so owners alternate, and no thread and no transaction waits for a client. `Reads` are
 * the handlers in the threads' file.
 */
export class SeriesReader<R extends Reads> {
  readonly #options: SeriesReaderOptions
  readonly #pool: WorkPool<SeriesReadHandlers<R>>
  /** Waiting and running queries by owner. */
  readonly #owners = new Map<string | undefined, { queries: number; largeAnswers: WorkQueue }>()
  #isClosed = false

  constructor(options: SeriesReaderOptions) {
    const { location, entry, log, keptThreads = 0 } = options
    const { heavyThreads = defaultHeavyThreads(), lightThreads = 2 } = options
    this.#options = options
    this.#pool = new WorkPool({
      limit: heavyThreads + lightThreads,
      heavyLimit: heavyThreads,
      kept: keptThreads,
      surplusMs: idleMs,
      start: (startOptions) => startThread(entry, { ...startOptions, data: location }),
      onEnd: (error) => log.error({ err: error }, 'a thread that reads the series has ended'),
    })
  }

  /**
   * Returns the result of the read of that name. Throws the read's error, and `Failure`: `tooMany` if too
   * many queries of the owner are waiting or running. A query whose signal aborts while it waits costs
   * nothing more.
   */
  async read<K extends Name<R>>(
    name: K,
    argument: Argument<R, K>,
    options: QueryOptions = {},
  ): Promise<ReadResult<R, K>> {
    const leave = this.#enter(options.owner)
    try {
      const light = await this.#call(name, argument, { ...options, isLight: true })
      if (light !== 'heavy') return light.result
      return resultOf(await this.#call(name, argument, { ...options, isLight: false }))
    } finally {
      leave()
    }
  }

  /** Reads a result slice by slice; reads the next one when the caller requests it. Throws like `read`. */
  async *stream<K extends SlicedName<R>>(
    name: K,
    argument: Argument<R, K>,
    options: QueryOptions = {},
  ): AsyncGenerator<AnswerPart, void, undefined> {
    const leave = this.#enter(options.owner)
    let leaveLarge: (() => void) | undefined
    try {
      const light = await this.#call(name, argument, { ...options, isLight: true })
      if (light !== 'heavy') {
        yield { bytes: sliceOf(light).bytes, isLast: true }
        return
      }
      leaveLarge = await this.#owners.get(options.owner)?.largeAnswers.enter({ signal: options.signal })
      let next: unknown = argument
      while (next !== undefined) {
        const rest: Argument<R, K> = next as Argument<R, K>
        const slice = sliceOf(await this.#call(name, rest, { ...options, isLight: false }))
        next = slice.next
        yield { bytes: slice.bytes, isLast: next === undefined }
      }
    } finally {
      leaveLarge?.()
      leave()
    }
  }

  /** Ends the threads; waiting queries fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pool.close()
  }

  /**
   * Counts a query of an owner until the returned function is called. Throws `Failure` if there are too many.
   */
  #enter(owner: string | undefined): () => void {
    const entry = this.#owners.get(owner) ?? {
      queries: 0,
      largeAnswers: new WorkQueue({ limit: largeAnswersOfOwner }),
    }
    if (entry.queries >= maxOfOwner) throw tooMany()
    entry.queries += 1
    this.#owners.set(owner, entry)
    return () => {
      entry.queries -= 1
      if (entry.queries === 0) this.#owners.delete(owner)
    }
  }

  async #call<K extends Name<R>>(
    name: K,
    argument: Argument<R, K>,
    { owner, signal, isLight }: QueryOptions & Pick<SeriesReadLimits, 'isLight'>,
  ): Promise<ReadReply<ReadResult<R, K>>> {
    const limits: SeriesReadLimits = { isLight, rowsPerRead, maxRows: this.#options.maxRows }
    const call = { argument, limits }
    const place = { owner, signal, isHeavy: !isLight, deadlineMs: readTimeLimitMs, graceMs }
    const parameters: unknown = [call, place]
    try {
      const reply: unknown = await this.#pool.call(name, ...(parameters as PoolParameters<R, K>))
      return reply as ReadReply<ReadResult<R, K>>
    } catch (error) {
      if (this.#isClosed) throw new Failure('unavailable', 'stopping', 'The server is stopping')
      if (error instanceof Failure && error.code === 'too-slow') throw takesTooLong()
      throw error
    }
  }
}

function defaultHeavyThreads(): number {
  return Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)))
}

function resultOf<T>(reply: ReadReply<T>): T {
  if (reply === 'heavy') throw new Error('A heavy read cannot be refused as heavy')
  return reply.result
}

function sliceOf(reply: ReadReply<unknown>): Slice<unknown> {
  return resultOf(reply) as Slice<unknown>
}

function tooMany(): Failure {
  return new Failure('tooMany', 'too-many-queries', `${maxOfOwner} queries wait already: try again later`)
}

function takesTooLong(): Failure {
  return invalid(
    'query-too-long',
    `The query takes longer than ${readTimeLimitMs / 1000} s: ask for a shorter window, a longer interval, or one service, resource or label`,
  )
}
