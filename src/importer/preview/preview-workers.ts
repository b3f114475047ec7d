import { availableParallelism } from 'node:os'
import { Failure } from '../../lib/errors.ts'
import { startProcess } from '../../lib/workers/start-process.ts'
import { startThread } from '../../lib/workers/start-thread.ts'
import { WorkPool } from '../../lib/workers/work-pool.ts'
import type { LoadPlace } from '../worker/open-rows.ts'
import type { LoadPool, RowsPart, RowsWish } from '../worker/worker.ts'
import { needsOwnProcess } from '../worker/worker.ts'
import type { PreviewWork } from './preview-work.ts'
import type { Counted, ScanNotice, ScanWish } from './scan-rows.ts'

type Pool = WorkPool<PreviewWork>

interface WorkersNeeds {
  /** Its threads run already, and those without a load have rows at once. */
  pool: Pick<LoadPool, 'firstRows'>
  /** Where the server keeps the files of stores. */
  ownFolder: string
  /** A thread or process died, or was ended. */
  onEnd(error: Error): void
}

const file = new URL('./preview-work.ts', import.meta.url)
/** Looks at all rows at the same time; others wait. */
const scans = 2
/** A scan may take hours: those of one user leave a place to others. */
const scansOfOwner = scans - 1
const mostReaders = 4
const mostWaiting = 500
/** Rows that may be asked of a thread that loads. */
const nearRows = 1000
const maxHeapMb = 512
/** A thread stays for the next page. */
const keepMs = 30_000
/** The most that reading to a page may take, without the time in which its client takes it. */
const rowsMs = 300_000
const scanMs = 2 * 3_600_000
/** A batch is there within this time, or something is stuck. */
const silenceMs = 300_000

/** Threads that look at rows, beside those that load; processes where a database may keep SQLite busy for ever. */
export class PreviewWorkers {
  readonly #loads: WorkersNeeds['pool']
  readonly #rows: { threads: Pool; processes: Pool }
  readonly #scans: { threads: Pool; processes: Pool }

  constructor({ pool, ownFolder, onEnd }: WorkersNeeds) {
    this.#loads = pool
    const place = (isProcess: boolean): LoadPlace => ({ isProcess, ownFolder })
    const pools = (limit: number, ownerLimit = limit): { threads: Pool; processes: Pool } => {
      const common = {
        limit,
        ownerLimit,
        surplusMs: keepMs,
        onEnd,
        maxWaiting: { count: mostWaiting, refuse: tooBusy },
      }
      return {
        threads: new WorkPool<PreviewWork>({
          ...common,
          start: (events) => startThread(file, { ...events, data: place(false) }),
        }),
        processes: new WorkPool<PreviewWork>({
          ...common,
          start: (events) => startProcess(file, { ...events, maxHeapMb, data: place(true) }),
        }),
      }
    }
    this.#rows = pools(Math.min(mostReaders, availableParallelism()))
    this.#scans = pools(scans, scansOfOwner)
  }

  async *rows(wish: RowsWish, signal: AbortSignal): AsyncGenerator<RowsPart> {
    const first = isNearTheStart(wish) ? await this.#loads.firstRows(wish, signal) : undefined
    if (first !== undefined) {
      yield first
      return
    }
    const { threads, processes } = this.#rows
    const limits = { signal, deadlineMs: rowsMs }
    try {
      yield* threads.stream('rows', wish, limits)
    } catch (error) {
      if (!needsOwnProcess(error)) throw error
      yield* processes.stream('rows', wish, limits)
    }
  }

  async scan(
    wish: ScanWish,
    { signal, onNotice }: { signal: AbortSignal; onNotice(notice: ScanNotice): void },
  ): Promise<Counted> {
    const { threads, processes } = this.#scans
    const limits = { signal, onNotice, deadlineMs: scanMs, silenceMs }
    try {
      return await threads.call('scan', wish, limits)
    } catch (error) {
      if (!needsOwnProcess(error)) throw error
      return processes.call('scan', wish, limits)
    }
  }

  async close(): Promise<void> {
    const pools = [this.#rows, this.#scans].flatMap(({ threads, processes }) => [threads, processes])
    await Promise.all(pools.map((pool) => pool.close()))
  }
}

function isNearTheStart({ limit, offset }: RowsWish): boolean {
  return limit <= nearRows && offset <= nearRows
}

function tooBusy(): Failure {
  return new Failure('unavailable', 'too-busy', 'Too many looks at rows wait for an answer: try again soon')
}
