import type { DataFile, Message } from '../../formats/format.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { defined } from '../../lib/defined.ts'
import { startProcess } from '../../lib/workers/start-process.ts'
import { startThread } from '../../lib/workers/start-thread.ts'
import { WorkPool } from '../../lib/workers/work-pool.ts'
import { WorkQueue } from '../../lib/workers/work-queue.ts'
import type { DatabaseConnection, DescribeOptions } from '../../sources/database/database.ts'
import type { LoadResult } from '../../stores/store.ts'
import type { DescribedFile } from '../model/model.ts'
import type { EditOutcome, EditPlan } from './edit-feature.ts'
import type { LoadOutcome, LoadPlan, LoadProgress, MendedOutcome, TriedLoad } from './load-plan.ts'
import type { DatabaseDescription, LoadNotice, LoadQuestion, LoadWork } from './load-work.ts'
import type { RowsPlan } from './open-rows.ts'
import type { RestorePlan } from './restore-table.ts'
import type { LoadPlace } from './trusted-files.ts'
import { needsOwnProcess } from './trusted-files.ts'
import type { RowsPart, RowsWish } from './write-rows.ts'

/** Who watches a load. */
interface WatchHandlers {
  signal: AbortSignal
  onProgress(progress: LoadProgress): void
  onMessage(message: Message): void
}

export interface LoadHandlers extends WatchHandlers {
  /** Called before rows are written to the table itself: see the store's `beforeTouch`. */
  beforeTouch?(mark: string): Promise<void>
  /** Called when all is staged; the load goes on when it returns, and is discarded when it throws. */
  onStaged?(): Promise<void>
  /** Called when limits have stopped the load, with what was found and laid by; the load fails when it returns. */
  onStopped?(tried: TriedLoad): Promise<void>
  /** Called where none of the mended rows can be loaded; the load fails when it returns. */
  onNothingMended?(mended: MendedOutcome): Promise<void>
  /** Called just before the commit; the store commits when it returns, rolls back when it throws. */
  beforeCommit(token: string, outcome: LoadOutcome): Promise<void>
}

interface RestoreHandlers {
  signal: AbortSignal
  beforeTouch(mark: string): Promise<void>
  beforeCommit(token: string, result: LoadResult): Promise<void>
}

interface EditHandlers {
  signal: AbortSignal
  beforeTouch(token: string, mark: string): Promise<void>
  beforeCommit(token: string, outcome: EditOutcome): Promise<void>
}

export interface LoadPool {
  /** The format and layers of a file. */
  describe(file: DataFile, options: { charset?: string; signal: AbortSignal }): Promise<DescribedFile>
  /** The tables of a database. */
  describeDatabase(connection: DatabaseConnection, options: DescribeOptions): Promise<DatabaseDescription>
  load(plan: LoadPlan, handlers: LoadHandlers): Promise<LoadOutcome>
  /** Does what a load does before its commit, and tells what that would do. */
  rehearse(plan: LoadPlan, handlers: WatchHandlers): Promise<TriedLoad>
  /** Brings a table back to what it was; `beforeCommit` as of a load. */
  restore(plan: RestorePlan, handlers: RestoreHandlers): Promise<LoadResult>
  /** Changes one feature; `beforeCommit` as of a load, where anything is changed at all. */
  edit(plan: EditPlan, handlers: EditHandlers): Promise<EditOutcome>
  /** Where the first rows lie, in their own coordinates; undefined where they have no place. */
  bounds(plan: RowsPlan, signal: AbortSignal): Promise<Envelope | undefined>
  /** Rows by a thread that has no load, where they are there at once; undefined where another is to read them. */
  firstRows(wish: RowsWish, signal: AbortSignal): Promise<RowsPart | undefined>
  /** Loads and descriptions under way, and those that wait. */
  counts(): { running: number; queued: number }
  close(): Promise<void>
}

export interface LoadPoolOptions {
  /** Loads at the same time; the rest wait their turn. */
  concurrency: number
  /** Threads that stay for the next load. */
  kept: number
  /** Where the server keeps the files of stores. */
  ownFolder: string
  /** Work that neither gets on nor hears its signal for so long is ended. */
  silenceMs: number
  /** A thread or process died, or was ended. */
  onEnd(error: Error): void
}

const file = new URL('./load-work.ts', import.meta.url)
/** Between the signal and the end by force. */
const graceMs = 1500
/** The most that a look at a database may take that SQLite may never be done with. */
const describeMs = 60_000
/** A process takes longer to start than a thread, and the tasks of an import follow one another. */
const keepProcessMs = 10_000
const maxHeapMb = 1024

type Pool = WorkPool<LoadWork>

/**
 * Loads in threads, so that the server stays free; where a database may keep SQLite busy for ever, in child processes,
 * which can be ended.
 */
export function createLoadPool(options: LoadPoolOptions): LoadPool {
  const { concurrency: limit, kept, ownFolder, silenceMs, onEnd } = options
  const queue = new WorkQueue({ limit })
  const data = (isProcess: boolean): LoadPlace => ({ isProcess, ownFolder })
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

  /** In a thread first, which refuses what it must not do before it has begun. */
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
        pool.call('describe', { file, ...defined({ charset }) }, described(limits)),
      ),
    describeDatabase: (connection, { signal, ...wanted }) =>
      work<DatabaseDescription>(signal, (pool, limits) =>
        pool.call('describeDatabase', { connection, ...wanted }, described(limits)),
      ),
    load: (plan, handlers) =>
      work<LoadOutcome>(handlers.signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('load', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: (notice) => pass(notice, handlers),
          onAsk: (question) => answer(question, handlers),
        }),
      ),
    rehearse: (plan, handlers) =>
      work<TriedLoad>(handlers.signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('rehearse', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: (notice) => pass(notice, handlers),
        }),
      ),
    ...changesOfTables(work),
    bounds: (plan, signal) =>
      work<Envelope | undefined>(signal, (pool, limits) => pool.call('bounds', plan, described(limits))),
    firstRows: (wish, signal) =>
      findFirst(threads, queue, { wish, limit, limits: { signal, graceMs, silenceMs } }),
    counts: () => ({ running: queue.running, queued: queue.waiting }),
    close: async () => {
      queue.close(new Error('The load workers are closed'))
      await Promise.all([threads.close(), processes.close()])
    },
  }
}

type Work = <T>(signal: AbortSignal, ask: (pool: Pool, limits: Limits) => Promise<T>) => Promise<T>

/** What changes a table without a source. */
function changesOfTables(work: Work): Pick<LoadPool, 'restore' | 'edit'> {
  return {
    restore: (plan, { signal, beforeTouch, beforeCommit }) =>
      work<LoadResult>(signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('restore', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: () => undefined,
          onAsk: async (question) => {
            if ('touched' in question) await beforeTouch(question.touched)
            else if ('restored' in question) await beforeCommit(question.token, question.restored)
          },
        }),
      ),
    edit: (plan, { signal, beforeTouch, beforeCommit }) =>
      work<EditOutcome>(signal, (pool, { isSlow: _isSlow, ...limits }) =>
        pool.call('edit', plan, {
          ...limits,
          key: plan.connection.parameters.path,
          onNotice: () => undefined,
          onAsk: async (question) => {
            if ('editing' in question) await beforeTouch(question.token, question.editing)
            else if ('edited' in question) await beforeCommit(question.token, question.edited)
          },
        }),
      ),
  }
}

async function answer(question: LoadQuestion, handlers: LoadHandlers): Promise<void> {
  if ('staged' in question) await handlers.onStaged?.()
  else if ('touched' in question) await handlers.beforeTouch?.(question.touched)
  else if ('stopped' in question) await handlers.onStopped?.(question.stopped)
  else if ('nothingMended' in question) await handlers.onNothingMended?.(question.nothingMended)
  else if ('outcome' in question) await handlers.beforeCommit(question.token, question.outcome)
}

interface Limits {
  signal: AbortSignal
  graceMs: number
  silenceMs: number
  /** Whether it may never come to an end by itself. */
  isSlow?: boolean
}

function pass(notice: LoadNotice, handlers: WatchHandlers): void {
  if ('progress' in notice) handlers.onProgress(notice.progress)
  else handlers.onMessage(notice.message)
}

function described({ isSlow = false, ...limits }: Limits) {
  return { ...limits, ...(isSlow ? { deadlineMs: describeMs } : {}) }
}

/**
 * Where a thread is there and no load waits for it: one that has yet to start reads the code of all loads first. What only a
 * process may read is left to others.
 */
async function findFirst(
  threads: Pool,
  queue: WorkQueue,
  { wish, limit, limits }: { wish: RowsWish; limit: number; limits: Limits },
): Promise<RowsPart | undefined> {
  if (threads.idle === 0 || queue.running >= limit || queue.waiting > 0) return undefined
  const read = () => threads.call('firstRows', wish, limits)
  return queue.run(read, { signal: limits.signal }).catch((error: unknown) => {
    if (!needsOwnProcess(error)) throw error
    return undefined
  })
}
