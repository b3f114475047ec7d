import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { workOwner } from '../../core/concurrency/acting.ts'
import { Failure } from '../../core/errors/errors.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { startThread } from '../../core/workers/start-thread.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import { WorkerEnded } from '../../core/workers/worker-handle.ts'
import { getStoreDescription } from '../registry.ts'
import type { StoreConnection } from '../store.ts'
import { maxTilesAtOnce } from '../store.ts'
import type { EstimatedBox, EstimateRows, ReadDemand } from './read-cost.ts'
import { isHeavyRead } from './read-cost.ts'
import type { ReadWorkData, StoreReadHandlers } from './read-work.ts'
import { RowEstimates } from './row-estimates.ts'
import type { ReadLimits, TileBatchesLimits, TileWorkers } from './tile-batches.ts'
import { TileBatches } from './tile-batches.ts'

export interface ReadersSettings {
  /**
   * Folder of the server for store files; files that the server created are in a subfolder for each
   * workspace.
   */
  ownFolder: string
  /** Further folders of the server: copies of layers, tables without a layer. */
  otherFolders?: readonly string[]
  /** Number of threads for light reads; default: number of processors minus one, at most four. */
  threads?: number
  /** Maximum CPU time of a query to a file of another owner, in milliseconds. */
  deadlineMs?: number
}

const file = new URL('./read-work.ts', import.meta.url)
/** Maximum number of concurrent queries per thread, most of which wait for the client or the database. */
const queriesEach = 16
/**
 * Maximum number of tiles among them, and of tiles of one store: while one waits for the database, the thread
 * encodes another.
 */
const tilesEach = 4
const tilesOfStoreEach = 2
/** Maximum number of heavy reads per thread, and of those of one owner. */
const heavyReadsEach = 6
const heavyReadsOfOwnerEach = 4
/**
 * Maximum number of reads of one owner: a client that reads its response slowly keeps its slot, and must not
 * occupy all.
 */
const readsOfOwnerEach = 12
const maxProcesses = 2
const maxHeapMb = 256
/** CPU time. */
const defaultDeadlineMs = 10_000
/** CPU time between the signal and the kill: short reads complete, and the process is reused. */
const graceMs = 500
/** Termination would end the queries of other callers, so a thread is allowed to finish. */
const endlessMs = 2 ** 30
/** Time for which only processes read a suspicious file, in milliseconds. */
const distrustMs = 60_000
const maxDistrusted = 10_000

/** Fixed properties of a connection. */
interface Known {
  /** Unique for each store. */
  key: string
  isSqlite: boolean
  /** True if its file is in one of the server's own folders. */
  isOwn: boolean
}

type ReadPool = WorkPool<StoreReadHandlers>

/** Worker for a query to a store, and the time limit. */
export interface ReadTarget {
  pool: ReadPool
  limits: ReadLimits
  /** Makes tiles in the queue of the pool. */
  tiles: TileBatches
}

/** Kind of read that a worker slot is for. */
export interface ReadKind {
  table?: string
  /** True if the read may process many rows. */
  isHeavy?: boolean
}

/** Workers that read stores. Light reads never wait for heavy ones. */
interface ReadWorkers {
  light: Pick<ReadTarget, 'pool' | 'tiles'>
  heavy: Pick<ReadTarget, 'pool' | 'tiles'>
}

/**
 * Threads and processes that read stores. Threads read what cannot block them indefinitely: databases, files
 * with our own readers, and GeoPackages that the server created and that contain nothing suspicious. SQLite
 * reads other GeoPackages in processes, which are terminated at a deadline.
 *
 * SQLite blocks its thread until a statement ends, so heavy reads have threads of their own, which end when
 * idle. One process is reserved for light reads. Within each pool, capacity is shared fairly between users
 * (or addresses of anonymous clients), and for each of them between tables.
 */
export class Readers {
  readonly #ownFolders: readonly string[]
  readonly #deadlineMs: number
  readonly #threads: ReadWorkers
  readonly #processes: ReadWorkers
  readonly estimates = new RowEstimates()
  readonly #distrusted = new Map<string, number>()
  readonly #known = new WeakMap<StoreConnection, Known>()

  constructor({ ownFolder, otherFolders = [], threads, deadlineMs = defaultDeadlineMs }: ReadersSettings) {
    this.#ownFolders = [ownFolder, ...otherFolders].map((folder) => resolve(folder))
    this.#deadlineMs = deadlineMs
    const limit = threads ?? Math.min(4, Math.max(1, availableParallelism() - 1))
    this.#threads = startThreads(limit)
    this.#processes = startProcesses()
  }

  targetOf(connection: StoreConnection, { table = '', isHeavy = false }: ReadKind = {}): ReadTarget {
    const known = this.#known.get(connection) ?? this.#classify(connection)
    const { key } = known
    const share = { key, owner: workOwner(), resource: `${key} ${table}`, isHeavy }
    if (this.#isForThreads(connection, known)) {
      const workers = isHeavy ? this.#threads.heavy : this.#threads.light
      return { ...workers, limits: { graceMs: endlessMs, ...share } }
    }
    const workers = isHeavy ? this.#processes.heavy : this.#processes.light
    return { ...workers, limits: { deadlineMs: this.#deadlineMs, graceMs, ...share } }
  }

  /** Marks a file as one that threads must not read. */
  distrust({ parameters: { path } }: StoreConnection): void {
    if (this.#distrusted.size >= maxDistrusted) this.#distrusted.clear()
    if (path !== undefined) this.#distrusted.set(path, performance.now() + distrustMs)
  }

  /** Makes every thread close its cached store. */
  async close(): Promise<void> {
    const pools = [this.#threads, this.#processes].flatMap(({ light, heavy }) => [light.pool, heavy.pool])
    await Promise.all(pools.map((pool) => pool.close()))
  }

  #classify(connection: StoreConnection): Known {
    const { type, parameters } = connection
    const { path, read_only } = parameters
    const known = {
      key: path ?? JSON.stringify([parameters]),
      isSqlite: getStoreDescription(type).file?.isSqlite === true && path !== undefined,
      isOwn:
        path !== undefined &&
        read_only !== 'true' &&
        this.#ownFolders.includes(dirname(dirname(resolve(path)))),
    }
    this.#known.set(connection, known)
    return known
  }

  #isForThreads({ parameters: { path = '' } }: StoreConnection, { isSqlite, isOwn }: Known): boolean {
    if (!isSqlite) return true
    return isOwn && (this.#distrusted.get(path) ?? 0) < performance.now()
  }
}

const lightRead: ReadKind = {}
/** Timeout for a database that does not respond; a locked table fails earlier. */
const estimateMs = 15_000

/** Determines the kind of a read. */
type FindKind = () => Promise<ReadKind>

/**
 * Sends the reads of one store to the workers that may read it: heavy reads and light reads to different
 * ones.
 */
export class StoreReads {
  readonly #connection: StoreConnection
  readonly #readers: Readers

  constructor(connection: StoreConnection, readers: Readers) {
    this.#connection = connection
    this.#readers = readers
  }

  /** Runs a query in a worker that may read the store, and elsewhere if that worker refuses. */
  async ask<T>(query: (target: ReadTarget) => Promise<T>, kind: ReadKind | FindKind = lightRead): Promise<T> {
    const run = async (): Promise<T> =>
      query(this.#targetOf(typeof kind === 'function' ? await kind() : kind))
    try {
      return await run()
    } catch (error) {
      if (!isForProcess(error)) throw toFailure(error)
      this.#readers.distrust(this.#connection)
      return run()
    }
  }

  /** Like `ask`, for a query with a streamed result. */
  async *take<T>(
    query: (target: ReadTarget) => AsyncIterable<T>,
    kind: FindKind = async () => lightRead,
  ): AsyncGenerator<T> {
    try {
      yield* query(this.#targetOf(await kind()))
    } catch (error) {
      if (!isForProcess(error)) throw toFailure(error)
      this.#readers.distrust(this.#connection)
      yield* query(this.#targetOf(await kind()))
    }
  }

  /** Returns a function that estimates row counts of the table; those of the whole table are cached. */
  estimateRows(table: string, signal: AbortSignal): EstimateRows {
    const { resource = '' } = this.#targetOf({ table }).limits
    // A cached estimate is shared, so it continues after the first caller has left.
    return (box) =>
      box === undefined
        ? this.#readers.estimates.rowsOf(resource, () => this.#estimate(table))
        : this.#estimate(table, { box, signal })
  }

  /** A table without an estimate counts as large. */
  async #estimate(
    table: string,
    { box, signal }: { box?: EstimatedBox; signal?: AbortSignal } = {},
  ): Promise<number> {
    const limit = AbortSignal.timeout(estimateMs)
    const own = signal === undefined ? limit : AbortSignal.any([limit, signal])
    const query = { connection: this.#connection, table, box }
    try {
      return await this.ask(
        ({ pool, limits }) => pool.call('estimateRows', query, { ...limits, signal: own }),
        { table },
      )
    } catch (error) {
      if (!limit.aborted || signal?.aborted === true) throw error
      return Number.MAX_SAFE_INTEGER
    }
  }

  /** Returns a function that determines whether a read is heavy. */
  kindOf(table: string, demand: ReadDemand, signal: AbortSignal): FindKind {
    return async () => ({ table, isHeavy: await isHeavyRead(demand, this.estimateRows(table, signal)) })
  }

  /** The same for a read of every row. */
  kindOfScan(table: string, signal: AbortSignal): FindKind {
    return this.kindOf(table, { offset: 0, limit: Number.POSITIVE_INFINITY, isCounted: false }, signal)
  }

  #targetOf(kind: ReadKind): ReadTarget {
    return this.#readers.targetOf(this.#connection, kind)
  }
}

/** Maximum number of waiting tiles, and of other waiting reads. */
const maxWaitingInThreads = { tiles: 2000, others: 2000 }
const maxWaitingInProcesses = { tiles: 200, others: 200 }

function startThreads(lightThreads: number): ReadWorkers {
  const heavyThreads = Math.max(1, Math.floor(lightThreads / 2))
  const start = (limit: number, share: number, ofOwnerEach: number): Pick<ReadTarget, 'pool' | 'tiles'> => {
    const { tiles, others } = maxWaitingInThreads
    const pool: ReadPool = new WorkPool({
      start: (options) =>
        startThread(file, { ...options, data: { isProcess: false } satisfies ReadWorkData }),
      limit,
      share,
      ownerLimit: limit * ofOwnerEach,
      surplusMs: 10_000,
      maxWaiting: { count: tiles + others, refuse: tooBusy },
    })
    const batches = batchesOf(pool, {
      name: 'tiles',
      workers: limit,
      most: maxTilesAtOnce,
      atATime: limit * tilesEach,
      atATimeOfStore: limit * tilesOfStoreEach,
      maxWaiting: { count: tiles, refuse: tooBusy },
    })
    return { pool, tiles: batches }
  }
  return {
    light: start(lightThreads, queriesEach, readsOfOwnerEach),
    heavy: start(heavyThreads, heavyReadsEach, heavyReadsOfOwnerEach),
  }
}

function startProcesses(): ReadWorkers {
  const { tiles, others } = maxWaitingInProcesses
  const pool: ReadPool = new WorkPool({
    start: (options) =>
      startProcess(file, { ...options, maxHeapMb, data: { isProcess: true } satisfies ReadWorkData }),
    limit: maxProcesses,
    heavyLimit: maxProcesses - 1,
    surplusMs: 5000,
    maxWaiting: { count: 2 * tiles + others, refuse: tooBusy },
  })
  const start = (name: string): TileBatches =>
    batchesOf(pool, {
      name,
      workers: maxProcesses,
      // A deadline applies to one tile.
      most: 1,
      atATime: maxProcesses - 1,
      atATimeOfStore: maxProcesses - 1,
      maxWaiting: { count: tiles, refuse: tooBusy },
    })
  return { light: { pool, tiles: start('light tiles') }, heavy: { pool, tiles: start('heavy tiles') } }
}

function batchesOf(pool: ReadPool, limits: TileBatchesLimits): TileBatches {
  const workers: TileWorkers = {
    enter: (options) => pool.enter(options),
    make: (tiles, options) => pool.callNow('tiles', tiles, options),
  }
  return new TileBatches(workers, limits)
}

function tooBusy(): Failure {
  return new Failure(
    'unavailable',
    'too-busy',
    'Too many questions wait for an answer: try again in a moment',
  )
}

/** A reader that crashed during a query, mostly for lack of memory, is not a server error. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof WorkerEnded)) return error
  return new Failure('unavailable', 'reader-ended', 'The question took more than a reader has', {
    cause: error,
  })
}

function isForProcess(error: unknown): boolean {
  return error instanceof Failure && error.code === 'needs-process'
}
