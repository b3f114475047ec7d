import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { workOwner } from '../../lib/acting.ts'
import { Failure } from '../../lib/errors.ts'
import { startProcess } from '../../lib/workers/start-process.ts'
import { startThread } from '../../lib/workers/start-thread.ts'
import { WorkPool } from '../../lib/workers/work-pool.ts'
import { getStoreDescription } from '../registry.ts'
import type { StoreConnection } from '../store.ts'
import { mostTilesAtOnce } from '../store.ts'
import { JoinedTiles } from './joined-tiles.ts'
import type { ReadHandlers, ReadWorkData } from './read-work.ts'
import { RowEstimates } from './row-estimates.ts'
import { TileLane } from './tile-lane.ts'

export interface ReadersSettings {
  /** Where the server keeps the files of stores; those that it made itself stand in a folder for each workspace. */
  ownFolder: string
  /** Where it keeps other files of its own, in folders: copies of layers, tables that belong to no layer. */
  otherFolders?: readonly string[]
  /** Threads for light reads at the same time; default one less than processors, at most four. */
  threads?: number
  /** CPU time that a question to a file of somebody else's may take. */
  deadlineMs?: number
}

const file = new URL('./read-work.ts', import.meta.url)
/** Questions that one thread works at, most of which wait for the client or the database. */
const questionsEach = 16
/** Tiles among them, and those of one store: while it waits for the database, the thread encodes another. */
const tilesEach = 4
const tilesOfStoreEach = 2
/** Heavy reads that one thread works at, and those of one owner among them. */
const heavyReadsEach = 6
const heavyReadsOfOwnerEach = 4
/** Reads of one owner: a client that takes its answer slowly keeps its place, which must not be every place. */
const readsOfOwnerEach = 12
const maxProcesses = 2
const maxHeapMb = 256
/** CPU time. */
const defaultDeadlineMs = 10_000
/** CPU time between the signal and the kill: small reads come to their end, and the process stays. */
const graceMs = 500
/** An end by force would end the questions of others: a thread is left to come to its end. */
const endlessMs = 2 ** 30
/** How long a file in which something was found is left to processes. */
const distrustMs = 60_000
const maxDistrusted = 10_000

/** What a connection says of itself for good. */
interface Known {
  /** Another one for every other store. */
  key: string
  isSqlite: boolean
  /** Whether its file stands in one of the server's own folders. */
  isOwn: boolean
}

type ReadPool = WorkPool<ReadHandlers>

/** Scheduling options of reads. See `PlaceOptions`. */
interface ReadShare {
  owner: string | undefined
  /** The table. */
  resource: string
  isHeavy: boolean
}

/** Where a question to a store is answered, and within what time. */
export interface ReadPlace {
  pool: ReadPool
  limits: ReadShare & { deadlineMs?: number; graceMs?: number; key: string }
  /** Where tiles wait for their turn. */
  tiles: JoinedTiles
}

/** Which read a place is for. */
export interface ReadKind {
  table?: string
  /** True if the read may look at many rows. */
  isHeavy?: boolean
}

/** Workers that read stores. Light reads never wait for heavy ones. */
interface ReadWorkers {
  light: Pick<ReadPlace, 'pool' | 'tiles'>
  heavy: Pick<ReadPlace, 'pool' | 'tiles'>
}

/**
 * Threads and processes that read stores. Threads read what cannot keep them for ever: databases, files that our own
 * readers read, and GeoPackages that the server made and nobody put traps in. Other GeoPackages are read by SQLite in
 * processes, which are ended at a deadline.
 *
 * SQLite keeps its thread until a statement is done, so heavy reads have threads of their own, which end when they are
 * idle. One process is kept free of heavy reads. Within each pool, capacity is shared fairly between users (or addresses
 * of anonymous clients), and within these between tables.
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

  placeOf(connection: StoreConnection, { table = '', isHeavy = false }: ReadKind = {}): ReadPlace {
    const known = this.#known.get(connection) ?? this.#look(connection)
    const { key } = known
    const share = { key, owner: workOwner(), resource: `${key} ${table}`, isHeavy }
    if (this.#isForThreads(connection, known)) {
      const workers = isHeavy ? this.#threads.heavy : this.#threads.light
      return { ...workers, limits: { graceMs: endlessMs, ...share } }
    }
    const workers = isHeavy ? this.#processes.heavy : this.#processes.light
    return { ...workers, limits: { deadlineMs: this.#deadlineMs, graceMs, ...share } }
  }

  /** A thread has found what it must not ask. */
  distrust({ parameters: { path } }: StoreConnection): void {
    if (this.#distrusted.size >= maxDistrusted) this.#distrusted.clear()
    if (path !== undefined) this.#distrusted.set(path, performance.now() + distrustMs)
  }

  /** Every thread is to close what it keeps of the store. */
  async close(): Promise<void> {
    const pools = [this.#threads, this.#processes].flatMap(({ light, heavy }) => [light.pool, heavy.pool])
    await Promise.all(pools.map((pool) => pool.close()))
  }

  #look(connection: StoreConnection): Known {
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

const maxWaitingOfThreads = { count: 2000, refuse: tooBusy }
const maxWaitingOfProcesses = { count: 200, refuse: tooBusy }

function startThreads(lightThreads: number): ReadWorkers {
  const heavyThreads = Math.max(1, Math.floor(lightThreads / 2))
  const startPool = (limit: number, share: number, ofOwnerEach: number): ReadPool =>
    new WorkPool<ReadHandlers>({
      start: (options) =>
        startThread(file, { ...options, data: { isProcess: false } satisfies ReadWorkData }),
      limit,
      share,
      ownerLimit: limit * ofOwnerEach,
      surplusMs: 10_000,
      maxWaiting: maxWaitingOfThreads,
    })
  const makeTiles = (workers: number): JoinedTiles => {
    const lane = new TileLane({
      most: workers * tilesEach,
      ofStore: workers * tilesOfStoreEach,
      maxWaiting: maxWaitingOfThreads,
    })
    return new JoinedTiles(lane, { workers, most: mostTilesAtOnce })
  }
  return {
    light: { pool: startPool(lightThreads, questionsEach, readsOfOwnerEach), tiles: makeTiles(lightThreads) },
    heavy: {
      pool: startPool(heavyThreads, heavyReadsEach, heavyReadsOfOwnerEach),
      tiles: makeTiles(heavyThreads),
    },
  }
}

function startProcesses(): ReadWorkers {
  const pool = new WorkPool<ReadHandlers>({
    start: (options) =>
      startProcess(file, { ...options, maxHeapMb, data: { isProcess: true } satisfies ReadWorkData }),
    limit: maxProcesses,
    heavyLimit: maxProcesses - 1,
    surplusMs: 5000,
    maxWaiting: maxWaitingOfProcesses,
  })
  const makeTiles = (): JoinedTiles => {
    const lane = new TileLane({
      most: maxProcesses - 1,
      ofStore: maxProcesses - 1,
      maxWaiting: maxWaitingOfProcesses,
    })
    // A deadline is for one tile.
    return new JoinedTiles(lane, { workers: maxProcesses, most: 1 })
  }
  return { light: { pool, tiles: makeTiles() }, heavy: { pool, tiles: makeTiles() } }
}

function tooBusy(): Failure {
  return new Failure(
    'unavailable',
    'too-busy',
    'Too many questions wait for an answer: try again in a moment',
  )
}
