import { setImmediate as nextRound } from 'node:timers/promises'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { orAborted } from '../../lib/or-aborted.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { EncodedTile, TableTileRequest, TableTilesRequest } from './table-tile-request.ts'
import type { TileLane, TileShare } from './tile-lane.ts'

/** Renders tiles in the order of the request. */
export type MakeTiles = (wish: TableTilesRequest, signal: AbortSignal) => Promise<EncodedTile[]>

interface JoinedTilesLimits {
  /** Number of threads or processes that share waiting tiles. */
  workers: number
  /** Maximum number of tiles per call. */
  most: number
}

type Rest = Omit<TableTileRequest, 'tile'>

/** Tiles that differ only by column and row. */
interface Family {
  waiting: QueuedTile[]
  /** Approximate cost in rows; undefined until a tile was rendered. */
  weight: number | undefined
}

interface QueuedTile {
  tile: TileAddress
  made: PromiseWithResolvers<EncodedTile>
  signal: AbortSignal
}

/**
 * Tiles above this cost are rendered individually: they take so long that shared reading makes no difference.
 */
const mostWeight = 600
/** Assumed cost of an unknown tile. */
const presumedWeight = mostWeight / 2
/** Bytes of a tile with the cost of a row: few rows may have many vertices. */
const bytesOfRow = 64
const mostFamilies = 1000

/**
 * Combines requests for tiles: a map requests many tiles at once, and waiting tiles of the same table and
 * zoom are rendered in one call. An idle reader gets its share of them, so that none is idle meanwhile. A
 * tile without others in the queue is rendered as early as without this class.
 */
export class JoinedTiles {
  readonly #lane: TileLane
  readonly #limits: JoinedTilesLimits
  readonly #families = new BoundedCache<string, Family>(mostFamilies)
  #last: { store: string; z: number; rest: Rest; family: Family } | undefined
  #busy = 0

  constructor(lane: TileLane, limits: JoinedTilesLimits) {
    this.#lane = lane
    this.#limits = limits
  }

  /** Throws the error of `make` for this tile alone. */
  run(
    store: string,
    { tile, ...rest }: TableTileRequest,
    make: MakeTiles,
    share: TileShare,
  ): Promise<EncodedTile> {
    const { signal } = share
    const family = this.#familyOf(store, tile, rest)
    const asked: QueuedTile = { tile, made: Promise.withResolvers(), signal }
    family.waiting.push(asked)
    const turn = async (): Promise<void> => {
      // Requests of the same event loop iteration are queued by then.
      await nextRound()
      if (family.waiting.includes(asked)) await this.#makeShare(family, asked, { rest, make })
    }
    this.#lane.run(store, turn, share).catch((error: unknown) => {
      remove(family.waiting, asked)
      asked.made.reject(error)
    })
    return orAborted(asked.made.promise, signal)
  }

  /** Filtered tiles have no shared rows that are read once. */
  #familyOf(store: string, { z }: TileAddress, rest: Rest): Family {
    if (rest.filter !== undefined) return { waiting: [], weight: undefined }
    const last = this.#last
    if (last?.store === store && last.z === z && isSame(last.rest, rest)) return last.family
    const begin = (): Family => ({ waiting: [], weight: undefined })
    const family = this.#families.get(JSON.stringify([store, z, rest]), begin)
    this.#last = { store, z, rest, family }
    return family
  }

  /**
   * Renders the next tile, together with a share of the waiting tiles of the same family, whoever requested
   * them.
   */
  async #makeShare(
    family: Family,
    asked: QueuedTile,
    { rest, make }: { rest: Rest; make: MakeTiles },
  ): Promise<void> {
    const free = Math.max(1, this.#limits.workers - this.#busy)
    const light = Math.floor(mostWeight / Math.max(1, family.weight ?? presumedWeight))
    const count = Math.min(this.#limits.most, Math.ceil(family.waiting.length / free), Math.max(1, light))
    remove(family.waiting, asked)
    const group = [asked, ...family.waiting.splice(0, count - 1)]
    this.#busy += 1
    try {
      await makeAll(family, group, (tiles, signal) => make({ ...rest, tiles }, signal))
    } finally {
      this.#busy -= 1
    }
  }
}

/** Resolves every tile of a group; if they cannot be rendered together, each is rendered individually. */
async function makeAll(
  family: Family,
  group: readonly QueuedTile[],
  make: (tiles: TileAddress[], signal: AbortSignal) => Promise<EncodedTile[]>,
): Promise<void> {
  const waiting = group.filter(({ signal }) => !signal.aborted)
  if (waiting.length === 0) return
  const [only] = waiting
  const leaving = waiting.length === 1 ? undefined : new AllLeft(waiting.map(({ signal }) => signal))
  try {
    const tiles = waiting.map(({ tile }) => tile)
    const made = await make(tiles, (leaving ?? (only as QueuedTile)).signal)
    const weight = weightOf(made)
    family.weight = family.weight === undefined ? weight : (family.weight * 3 + weight) / 4
    for (const [at, asked] of waiting.entries()) asked.made.resolve(made[at] as EncodedTile)
  } catch (error) {
    if (waiting.length === 1) only?.made.reject(error)
    else for (const asked of waiting) await makeAll(family, [asked], make)
  } finally {
    leaving?.close()
  }
}

function weightOf(made: readonly EncodedTile[]): number {
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

/** Quick comparison of requests; equal requests that it misses have the same text. */
function isSame(one: Rest, other: Rest): boolean {
  const names = Object.keys(one) as (keyof Rest)[]
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => one[name] === other[name] || (name === 'thinning' && isFree(one) && isFree(other)))
  )
}

/** True if a tile omits no features, whatever its contents. */
function isFree({ thinning }: Rest): boolean {
  return thinning !== undefined && Object.keys(thinning).length === 0
}

function remove<T>(list: T[], one: T): void {
  const at = list.indexOf(one)
  if (at >= 0) list.splice(at, 1)
}
