import { startProcess } from '../../core/workers/start-process.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'
import type { DataFile, FormatMessage } from '../../formats/worker.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { DatabaseConnection, DescribeOptions } from '../../inputs/index.ts'
import type { LoadResult } from '../../stores/index.ts'
import type { DescribedFile } from '../model/model.ts'
import type { EditOutcome, EditPlan } from './edit-features.ts'
import type { CorrectionOutcome, LoadOutcome, LoadPlan, LoadProgress, TriedLoad } from './load-plan.ts'
import type { DatabaseDescription, LoadCheckpoint, LoadNotice, LoadWork } from './load-work.ts'
import type { RowsPlan } from './open-rows.ts'
import type { TableRestorePlan } from './restore-table.ts'
import type { WorkLocation } from './trusted-files.ts'
import { needsOwnProcess } from './trusted-files.ts'
import type { RowsPart, TaskRowsRequest } from './write-rows.ts'

/** Callbacks for the progress of a load. */
interface WatchHandlers {
  signal: AbortSignal
  onProgress(progress: LoadProgress): void
  onMessage(message: FormatMessage): void
}

export interface LoadHandlers extends WatchHandlers {
  /** Called before rows are written to the table itself: see the store's `beforeTouch`. */
  beforeTouch?(mark: string): Promise<void>
  /** Called when all rows are staged. The load continues when it returns, and is discarded if it throws. */
  onStaged?(): Promise<void>
  /**
   * Called when limits have stopped the load, with the findings and the retained rows. The load fails after
   * it returns.
   */
  onStopped?(tried: TriedLoad): Promise<void>
  /** Called if none of the corrected rows can be loaded. The load fails after it returns. */
  onNothingCorrected?(corrected: CorrectionOutcome): Promise<void>
  /** Called just before the commit; the store commits when it returns, rolls back if it throws. */
  beforeCommit(token: string, outcome: LoadOutcome): Promise<void>
}

interface RestoreHandlers {
  signal: AbortSignal
  beforeTouch(mark: string): Promise<void>
  beforeCommit(token: string, result: LoadResult): Promise<void>
}

interface EditHandlers {
  signal: AbortSignal
  beforeTouch(table: number, token: string, mark: string): Promise<void>
  beforeCommit(outcome: EditOutcome): Promise<void>
}

export interface LoadPool {
  /** Returns the format and layers of a file. */
  describe(file: DataFile, options: { charset?: string; signal: AbortSignal }): Promise<DescribedFile>
  /** Returns the tables of a database. */
  describeDatabase(connection: DatabaseConnection, options: DescribeOptions): Promise<DatabaseDescription>
  load(plan: LoadPlan, handlers: LoadHandlers): Promise<LoadOutcome>
  /** Dry run: does what a load does before its commit, and reports what the commit would do. */
  performDryRun(plan: LoadPlan, handlers: WatchHandlers): Promise<TriedLoad>
  /** Restores a table; `beforeCommit` as for a load. */
  restore(plan: TableRestorePlan, handlers: RestoreHandlers): Promise<LoadResult>
  /** Edits features. `beforeCommit` is called as for a load, if the edits change anything. */
  edit(plan: EditPlan, handlers: EditHandlers): Promise<EditOutcome>
  /** Returns the envelope of the first rows in their own CRS; undefined if they have no coordinates. */
  bounds(plan: RowsPlan, signal: AbortSignal): Promise<Envelope | undefined>
  /**
   * Returns rows read by an idle thread if they are near the start; undefined if another worker must read
   * them.
   */
  firstRows(request: TaskRowsRequest, signal: AbortSignal): Promise<RowsPart | undefined>
  /** Numbers of running and queued loads and descriptions. */
  counts(): { running: number; queued: number }
  close(): Promise<void>
}

export interface LoadPoolOptions {
  /** Maximum number of concurrent loads; the rest are queued. */
  concurrency: number
  /** Number of idle threads retained for the next load. */
  kept: number
  /** Folder of the server for store files. */
  ownFolder: string
  /** Work that neither progresses nor reacts to its signal for this long is terminated, in milliseconds. */
  silenceMs: number
  /** Called when a thread or process died, or was terminated. */
  onEnd(error: Error): void
}

const file = new URL('./load-work.ts', import.meta.url)
/** Time between the signal and forced termination. */
const graceMs = 1500
/** Maximum time to describe a database that may block SQLite indefinitely. */
const describeMs = 60_000
/**
 * Time for which idle processes are retained: a process starts more slowly than a thread, and the tasks of an
 * import follow each other.
 */
const keepProcessMs = 10_000
const maxHeapMb = 1024

type Pool = WorkPool<LoadWork>

/**
 * Loads run in threads, so that the server stays responsive; in child processes, which can be terminated, if
 * a database may block SQLite indefinitely.
 */
export function createLoadPool(options: LoadPoolOptions): LoadPool {
  const { concurrency: limit, kept, ownFolder, silenceMs, onEnd } = options
  const queue = new WorkQueue({ limit })
  const data = (isProcess: boolean): WorkLocation => ({ isProcess, ownFolder })
  const threads: Pool = new WorkPool<LoadWork>({
    start: (events) => startThread(file, { ...events, data: data(false) }),
    limit,
    kept,
    onEnd,
  })
  const processes: Pool = new WorkPool<LoadWork>({
    start: (events) => startProcess(file, { ...events, maxHeapMb, data: data(true) }),
    limit,
    surplusMs: keepProcessMs,
    onEnd,
  })

  /**
   * Tries a worker thread first. The thread refuses work that must run in a process, before it reads
   * anything.
   */
  function work<T>(signal: AbortSignal, ask: (pool: Pool, limits: Limits) => Promise<T>): Promise<T> {
    const limits = { signal, graceMs, silenceMs }
    const run = () =>
      ask(threads, limits).catch((error: unknown) => {
        if (!needsOwnProcess(error)) throw error
        return ask(processes, { ...limits, isSlow: true })
      })
    return queue.run(run, { signal })
  }

  return {
    describe: (file, { charset, signal }) =>
      work<DescribedFile>(signal, (pool, limits) =>
        pool.call('describe', { file, charset }, described(limits)),
      ),
    describeDatabase: (connection, { signal, ...requested }) =>
      work<DatabaseDescription>(signal, (pool, limits) =>
        pool.call('describeDatabase', { connection, ...requested }, described(limits)),
      ),
    load: (plan, handlers) =>
      work<LoadOutcome>(handlers.signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('load', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: (notice) => pass(notice, handlers),
          onAsk: (loadCheckpoint) => respond(loadCheckpoint, handlers),
        }),
      ),
    performDryRun: (plan, handlers) =>
      work<TriedLoad>(handlers.signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('performDryRun', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: (notice) => pass(notice, handlers),
        }),
      ),
    ...changesOfTables(work),
    bounds: (plan, signal) =>
      work<Envelope | undefined>(signal, (pool, limits) => pool.call('bounds', plan, described(limits))),
    firstRows: (request, signal) =>
      findFirst(threads, queue, { request, limit, limits: { signal, graceMs, silenceMs } }),
    counts: () => ({ running: queue.running, queued: queue.waiting }),
    close: async () => {
      queue.close(new Error('The load workers are closed'))
      await Promise.all([threads.close(), processes.close()])
    },
  }
}

type Work = <T>(signal: AbortSignal, ask: (pool: Pool, limits: Limits) => Promise<T>) => Promise<T>

/** Operations that change a table without a source. */
function changesOfTables(work: Work): Pick<LoadPool, 'restore' | 'edit'> {
  return {
    restore: (plan, { signal, beforeTouch, beforeCommit }) =>
      work<LoadResult>(signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('restore', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: () => undefined,
          onAsk: async (loadCheckpoint) => {
            if ('touched' in loadCheckpoint) await beforeTouch(loadCheckpoint.touched)
            else if ('restored' in loadCheckpoint)
              await beforeCommit(loadCheckpoint.token, loadCheckpoint.restored)
          },
        }),
      ),
    edit: (plan, { signal, beforeTouch, beforeCommit }) =>
      work<EditOutcome>(signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('edit', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: () => undefined,
          onAsk: async (loadCheckpoint) => {
            if ('editing' in loadCheckpoint) {
              const { table, token, mark } = loadCheckpoint.editing
              await beforeTouch(table, token, mark)
            } else if ('edited' in loadCheckpoint) await beforeCommit(loadCheckpoint.edited)
          },
        }),
      ),
  }
}

async function respond(loadCheckpoint: LoadCheckpoint, handlers: LoadHandlers): Promise<void> {
  if ('staged' in loadCheckpoint) await handlers.onStaged?.()
  else if ('touched' in loadCheckpoint) await handlers.beforeTouch?.(loadCheckpoint.touched)
  else if ('stopped' in loadCheckpoint) await handlers.onStopped?.(loadCheckpoint.stopped)
  else if ('nothingCorrected' in loadCheckpoint)
    await handlers.onNothingCorrected?.(loadCheckpoint.nothingCorrected)
  else if ('outcome' in loadCheckpoint)
    await handlers.beforeCommit(loadCheckpoint.token, loadCheckpoint.outcome)
}

interface Limits {
  signal: AbortSignal
  graceMs: number
  silenceMs: number
  /** True if the work may never end by itself. */
  isSlow?: boolean
}

function pass(notice: LoadNotice, handlers: WatchHandlers): void {
  if ('progress' in notice) handlers.onProgress(notice.progress)
  else handlers.onMessage(notice.message)
}

function described({ isSlow = false, ...limits }: Limits) {
  return { ...limits, deadlineMs: isSlow ? describeMs : undefined }
}

/**
 * Reads the first rows in an idle thread if no load is queued for it: a new thread would first have to load
 * the code of all loads. Files that only a process may read are left to other workers.
 */
async function findFirst(
  threads: Pool,
  queue: WorkQueue,
  { request, limit, limits }: { request: TaskRowsRequest; limit: number; limits: Limits },
): Promise<RowsPart | undefined> {
  if (threads.idle === 0 || queue.running >= limit || queue.waiting > 0) return undefined
  const read = () => threads.call('firstRows', request, limits)
  return queue.run(read, { signal: limits.signal }).catch((error: unknown) => {
    if (!needsOwnProcess(error)) throw error
    return undefined
  })
}
