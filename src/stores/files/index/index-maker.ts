import { defined } from '../../../lib/defined.ts'
import { orAborted } from '../../../lib/or-aborted.ts'
import { startThread } from '../../../lib/workers/start-thread.ts'
import { WorkPool } from '../../../lib/workers/work-pool.ts'
import type { StoreConnection } from '../../store.ts'
import { indexName } from '../file-source.ts'
import type { BuildRequest, IndexHandlers } from './index-worker.ts'
import type { IndexHeader } from './layout.ts'

/** Reading a piece of a file, or sorting one group, takes no longer unless something is stuck. */
const silenceMs = 120_000
/** The most that one index may take. */
const deadlineMs = 2 * 3_600_000
const threads = 2
/** A file that could not be read is not read again within this time, however often it is asked for. */
const failurePauseMs = 5000

interface Making {
  result: Promise<IndexHeader>
  /** Callers who wait; when the last has left it is given up. */
  waiting: number
  abort: AbortController
}

export interface MakeOptions {
  signal: AbortSignal
  rejectsPath?: string
}

/** Makes indexes of files in threads: one at a time for each file, a few altogether. */
export class IndexMaker {
  readonly #pool = new WorkPool<IndexHandlers>({
    start: (options) => startThread(new URL('./index-worker.ts', import.meta.url), options),
    limit: threads,
  })
  readonly #making = new Map<string, Making>()
  readonly #failed = new Map<string, { untilMs: number; error: unknown }>()

  /** Makes the index of a file anew. Throws what keeps the file from being read. */
  async make(connection: StoreConnection, { signal, rejectsPath }: MakeOptions): Promise<IndexHeader> {
    const key = indexName(connection)
    const making = this.#making.get(key) ?? this.#begin(key, { connection, ...defined({ rejectsPath }) })
    making.waiting += 1
    try {
      return await orAborted(making.result, signal)
    } finally {
      making.waiting -= 1
      if (making.waiting === 0) making.abort.abort(new Error('Nobody waits for the index any more'))
    }
  }

  /** As `make`, where nobody has just found that it cannot be made; goes on when the caller has left. */
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
      ...{ signal: abort.signal, silenceMs, deadlineMs },
      onNotice: () => undefined,
    })
    const making: Making = { result, waiting: 0, abort }
    this.#making.set(key, making)
    const end = (): void => void this.#making.delete(key)
    result.then(end, end)
    return making
  }
}
