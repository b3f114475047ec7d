import { setImmediate as nextRound } from 'node:timers/promises'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import type { ItemGroup, PlaceOptions } from '../../core/workers/work-queue.ts'
import type { StoreConnection } from '../store.ts'
import type { Tile, TileRequest, TileSource } from './tile-request.ts'

/** Scheduling options and limits of a read. */
export interface ReadLimits extends Pick<PlaceOptions, 'owner' | 'resource' | 'isHeavy'> {
  /** Unique for each store. */
  key: string
  deadlineMs?: number
  graceMs?: number
}

/** Tiles of one table. Plain data: the argument of a worker. */
export interface TilesOfTable {
  connection: StoreConnection
  source: TileSource
  requests: readonly TileRequest[]
}

/** The queue of a pool of workers, and a call of one of them. */
export interface TileWorkers {
  /** Waits for the capacity of one call; the returned function frees it. */
  enter(options: ReadLimits & Pick<PlaceOptions, 'groups' | 'signal'>): Promise<() => void>
  /** Makes tiles in the order of the requests, within that capacity. */
  make(tiles: TilesOfTable, limits: ReadLimits & { signal: AbortSignal }): Promise<Tile[]>
}

/** Limits on tiles in a queue. */
export interface TileBatchesLimits {
  /** Name of the group of all tiles in the queue. */
  name: string
  /** Number of threads or processes that share waiting tiles. */
  workers: number
  /** Maximum number of tiles per call. */
  most: number
  /** Maximum number of concurrent calls: less than the capacity of the queue, which other reads use too. */
  atATime: number
  /** Maximum number of concurrent calls for one store: a slow store leaves capacity for others. */
  atATimeOfStore: number
  maxWaiting: { count: number; refuse(): Error }
}

/** Tiles that differ only by column and row. */
interface Family {
  waiting: WaitingTile[]
  /** Approximate cost in rows; undefined until a tile was made. */
  weight: number | undefined
}

interface WaitingTile {
  request: TileRequest
  made: PromiseWithResolvers<Tile>
  signal: AbortSignal
}

/**
 * Tiles above this cost are made individually: they take so long that shared reading makes no difference.
 */
const maxWeight = 600
/** Assumed cost of an unknown tile. */
const presumedWeight = maxWeight / 2
/** Bytes of a tile with the cost of a row: few rows may have many vertices. */
const bytesOfRow = 64
const maxFamilies = 1000

/**
 * Makes tiles in the queue of a worker pool. A map requests many tiles at once: waiting tiles of the same
 * table and zoom are made in one call. An idle reader gets its share of them, so that none is idle meanwhile.
 */
export class TileBatches {
  readonly #workers: TileWorkers
  readonly #limits: TileBatchesLimits
  readonly #all: ItemGroup
  readonly #families = new BoundedCache<string, Family>(maxFamilies)
  #last: { store: string; source: TileSource; request: TileRequest; family: Family } | undefined
  #busy = 0
  #waiting = 0

  constructor(workers: TileWorkers, limits: TileBatchesLimits) {
    this.#workers = workers
    this.#limits = limits
    this.#all = { name: limits.name, limit: limits.atATime }
  }

  /** Throws the error of this tile alone. */
  make(
    {
      connection,
      source,
      request,
    }: { connection: StoreConnection; source: TileSource; request: TileRequest },
    limits: ReadLimits,
    signal: AbortSignal,
  ): Promise<Tile> {
    const { count, refuse } = this.#limits.maxWaiting
    if (this.#waiting >= count) throw refuse()
    const family = this.#familyOf(limits.key, source, request)
    const one: WaitingTile = { request, made: Promise.withResolvers(), signal }
    family.waiting.push(one)
    const make: MakeBatch = (requests, joined) =>
      this.#workers.make({ connection, source, requests }, { ...limits, signal: joined })
    this.#begin(family, one, limits, make).catch((error: unknown) => {
      remove(family.waiting, one)
      one.made.reject(error)
    })
    return orAborted(one.made.promise, signal)
  }

  /** Filtered tiles get a family of their own, since their rows cannot be read together. */
  #familyOf(store: string, source: TileSource, request: TileRequest): Family {
    const begin = (): Family => ({ waiting: [], weight: undefined })
    if (request.filter !== undefined) return begin()
    const last = this.#last
    if (last?.store === store && isSame(last, { source, request })) return last.family
    const { set, tile, attributes } = request
    const key = JSON.stringify([store, set, tile.z, attributes, source])
    const family = this.#families.get(key, begin)
    this.#last = { store, source, request, family }
    return family
  }

  /** Waits in the queue, unless another batch takes the tile first. */
  async #begin(family: Family, one: WaitingTile, limits: ReadLimits, make: MakeBatch): Promise<void> {
    const ofStore = { name: `${this.#all.name} ${limits.key}`, limit: this.#limits.atATimeOfStore }
    this.#waiting += 1
    const groups = [this.#all, ofStore]
    const leave = await this.#workers.enter({ ...limits, groups, signal: one.signal }).finally(() => {
      this.#waiting -= 1
    })
    try {
      // Requests of the same event loop iteration are queued by then.
      if (family.waiting.includes(one)) await nextRound()
      if (family.waiting.includes(one)) await this.#makeShare(family, one, make)
    } finally {
      leave()
    }
  }

  /**
   * Makes the next tile, together with a share of the waiting tiles of the same family, whoever requested
   * them.
   */
  async #makeShare(family: Family, one: WaitingTile, make: MakeBatch): Promise<void> {
    const free = Math.max(1, this.#limits.workers - this.#busy)
    const light = Math.floor(maxWeight / Math.max(1, family.weight ?? presumedWeight))
    const count = Math.min(this.#limits.most, Math.ceil(family.waiting.length / free), Math.max(1, light))
    remove(family.waiting, one)
    const batch = [one, ...family.waiting.splice(0, count - 1)]
    this.#busy += 1
    try {
      await makeAll(family, batch, make)
    } finally {
      this.#busy -= 1
    }
  }
}

type MakeBatch = (requests: TileRequest[], signal: AbortSignal) => Promise<Tile[]>

/** Resolves every tile of a batch; if they cannot be made together, each is made individually. */
async function makeAll(family: Family, batch: readonly WaitingTile[], make: MakeBatch): Promise<void> {
  const waiting = batch.filter(({ signal }) => !signal.aborted)
  const [only] = waiting
  if (only === undefined) return
  const leaving = waiting.length === 1 ? undefined : new AllLeft(waiting.map(({ signal }) => signal))
  try {
    const made = await make(
      waiting.map(({ request }) => request),
      (leaving ?? only).signal,
    )
    const weight = weightOf(made)
    family.weight = family.weight === undefined ? weight : (family.weight * 3 + weight) / 4
    for (const [at, one] of waiting.entries()) one.made.resolve(made[at] as Tile)
  } catch (error) {
    if (waiting.length === 1) only.made.reject(error)
    else for (const one of waiting) await makeAll(family, [one], make)
  } finally {
    leaving?.close()
  }
}

function weightOf(made: readonly Tile[]): number {
  let sum = 0
  for (const { bytes, counts } of made) sum += Math.max(counts.read, bytes.length / bytesOfRow)
  return sum / made.length
}

/** Aborts after each of several signals has aborted. */
class AllLeft {
  readonly #abort = new AbortController()
  readonly #signals: readonly AbortSignal[]
  readonly #left = (): void => {
    if (this.#signals.every(({ aborted }) => aborted)) this.#abort.abort(this.#signals[0]?.reason)
  }

  constructor(signals: readonly AbortSignal[]) {
    this.#signals = signals
    for (const signal of signals) signal.addEventListener('abort', this.#left, { once: true })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  close(): void {
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#left)
  }
}

interface TileOfSource {
  source: TileSource
  request: TileRequest
}

/** Compares families by reference where possible. Equal families that this misses have the same text. */
function isSame(one: TileOfSource, other: TileOfSource): boolean {
  const { set, tile, attributes } = other.request
  if (one.request.set !== set || one.request.tile.z !== tile.z || one.request.attributes !== attributes)
    return false
  const names = Object.keys(one.source) as (keyof TileSource)[]
  return (
    names.length === Object.keys(other.source).length &&
    names.every(
      (name) =>
        one.source[name] === other.source[name] ||
        (name === 'thinning' && isFree(one.source) && isFree(other.source)),
    )
  )
}

/** True if a tile omits no features, whatever its contents. */
function isFree({ thinning }: TileSource): boolean {
  return thinning !== undefined && Object.keys(thinning).length === 0
}

function remove<T>(list: T[], one: T): void {
  const at = list.indexOf(one)
  if (at >= 0) list.splice(at, 1)
}
