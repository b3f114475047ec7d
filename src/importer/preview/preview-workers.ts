import { availableParallelism } from 'node:os'
import { Failure } from '../../core/errors/errors.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { WorkLocation } from '../worker/open-rows.ts'
import type { LoadPool, RowsPart, TaskRowsRequest } from '../worker/worker.ts'
import { needsOwnProcess } from '../worker/worker.ts'
import type { PreviewWork } from './preview-work.ts'
import type { Counted, RowScanRequest, ScanNotice } from './scan-rows.ts'

type Pool = WorkPool<PreviewWork>

interface WorkersDeps {
  /** Its threads are already running, and idle ones return rows immediately. */
  pool: Pick<LoadPool, 'firstRows'>
  /** Folder of the server for store files. */
  ownFolder: string
  /** Called when a thread or process died, or was terminated. */
  onEnd(error: Error): void
}

const file = new URL('./preview-work.ts', import.meta.url)
/** Maximum number of concurrent scans of all rows; others are queued. */
const scans = 2
/** Maximum number of scans of one user, so that other users get a slot: a scan may take hours. */
const scansOfOwner = scans - 1
const maxReaders = 4
const maxQueued = 500
/** Maximum number of rows that may be read by a load thread. */
const nearRows = 1000
const maxHeapMb = 512
/** Time for which a thread is retained for the next page. */
const keepMs = 30_000
/** Maximum time of reading to a page, excluding the time its client takes to receive it. */
const rowsMs = 300_000
const scanMs = 2 * 3_600_000
/** Maximum time for a batch; longer means that the worker hangs. */
const silenceMs = 300_000

/**
 * Preview threads, separate from load threads. Processes are used where a database may block SQLite
 * indefinitely.
 */
export class PreviewWorkers {
  readonly #loads: WorkersDeps['pool']
  readonly #rows: { threads: Pool; processes: Pool }
  readonly #scans: { threads: Pool; processes: Pool }

  constructor({ pool, ownFolder, onEnd }: WorkersDeps) {
    this.#loads = pool
    const location = (isProcess: boolean): WorkLocation => ({ isProcess, ownFolder })
    const pools = (limit: number, ownerLimit = limit): { threads: Pool; processes: Pool } => {
      const common = {
        limit,
        ownerLimit,
        surplusMs: keepMs,
        onEnd,
        maxWaiting: { count: maxQueued, refuse: tooBusy },
      }
      return {
        threads: new WorkPool<PreviewWork>({
          ...common,
          start: (events) => startThread(file, { ...events, data: location(false) }),
        }),
        processes: new WorkPool<PreviewWork>({
          ...common,
          start: (events) => startProcess(file, { ...events, maxHeapMb, data: location(true) }),
        }),
      }
    }
    this.#rows = pools(Math.min(maxReaders, availableParallelism()))
    this.#scans = pools(scans, scansOfOwner)
  }

  async *rows(request: TaskRowsRequest, signal: AbortSignal): AsyncGenerator<RowsPart> {
    const first = isNearTheStart(request) ? await this.#loads.firstRows(request, signal) : undefined
    if (first !== undefined) {
      yield first
      return
    }
    const { threads, processes } = this.#rows
    const limits = { signal, deadlineMs: rowsMs, isHeavy: true }
    try {
      yield* threads.stream('rows', request, limits)
    } catch (error) {
      if (!needsOwnProcess(error)) throw error
      yield* processes.stream('rows', request, limits)
    }
  }

  async scan(
    request: RowScanRequest,
    { signal, onNotice }: { signal: AbortSignal; onNotice(notice: ScanNotice): void },
  ): Promise<Counted> {
    const { threads, processes } = this.#scans
    const limits = { signal, onNotice, deadlineMs: scanMs, silenceMs, isHeavy: true }
    try {
      return await threads.call('scan', request, limits)
    } catch (error) {
      if (!needsOwnProcess(error)) throw error
      return processes.call('scan', request, limits)
    }
  }

  async close(): Promise<void> {
    const pools = [this.#rows, this.#scans].flatMap(({ threads, processes }) => [threads, processes])
    await Promise.all(pools.map((pool) => pool.close()))
  }
}

function isNearTheStart({ limit, offset }: TaskRowsRequest): boolean {
  return limit <= nearRows && offset <= nearRows
}

function tooBusy(): Failure {
  return new Failure('unavailable', 'too-busy', 'Too many previews are waiting: try again soon')
}
