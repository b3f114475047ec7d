import { orAborted } from '../../../core/concurrency/or-aborted.ts'
import { startThread } from '../../../core/workers/start-thread.ts'
import { WorkPool } from '../../../core/workers/work-pool.ts'
import type { StoreConnection } from '../../store.ts'
import { indexName } from '../file-source.ts'
import type { BuildRequest, IndexHandlers } from './index-worker.ts'
import type { IndexHeader } from './layout.ts'

/**
 * Maximum time for reading a piece of a file or sorting one group, in milliseconds; longer means that the
 * worker hangs.
 */
const silenceMs = 120_000
/** Maximum time for one index, in milliseconds. */
const deadlineMs = 2 * 3_600_000
const threads = 2
/** Pause before a file that could not be read is read again, whatever the number of requests. */
const failurePauseMs = 5000

interface Making {
  result: Promise<IndexHeader>
  /** Number of waiting callers; the work is canceled when the last one has left. */
  waiting: number
  abort: AbortController
}

export interface MakeIndexOptions {
  signal: AbortSignal
  rejectsPath?: string
}

/** Builds indexes of files in threads: one at a time per file, and a few in total. */
export class IndexMaker {
  readonly #pool = new WorkPool<IndexHandlers>({
    start: (options) => startThread(new URL('./index-worker.ts', import.meta.url), options),
    limit: threads,
  })
  readonly #making = new Map<string, Making>()
  readonly #failed = new Map<string, { untilMs: number; error: unknown }>()

  /** Builds the index of a file again. Throws the error that prevents reading the file. */
  async make(connection: StoreConnection, { signal, rejectsPath }: MakeIndexOptions): Promise<IndexHeader> {
    const key = indexName(connection)
    const making = this.#making.get(key) ?? this.#begin(key, { connection, rejectsPath })
    making.waiting += 1
    try {
      return await orAborted(making.result, signal)
    } finally {
      making.waiting -= 1
      if (making.waiting === 0) making.abort.abort(new Error('All callers have cancelled'))
    }
  }

  /** Like `make`, unless a recent attempt failed. Continues after the caller has left. */
  async remake(connection: StoreConnection, signal: AbortSignal): Promise<IndexHeader> {
    const key = indexName(connection)
    const failed = this.#failed.get(key)
    if (failed !== undefined && performance.now() < failed.untilMs) throw failed.error
    const made = this.make(connection, { signal: new AbortController().signal })
    made.then(
      () => this.#failed.delete(key),
      (error: unknown) => this.#failed.set(key, { untilMs: performance.now() + failurePauseMs, error }),
    )
    return orAborted(made, signal)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #begin(key: string, request: BuildRequest): Making {
    const abort = new AbortController()
    const result = this.#pool.call('build', request, {
      signal: abort.signal,
      silenceMs,
      deadlineMs,
      onNotice: () => undefined,
    })
    const making: Making = { result, waiting: 0, abort }
    this.#making.set(key, making)
    const end = (): void => void this.#making.delete(key)
    result.then(end, end)
    return making
  }
}
