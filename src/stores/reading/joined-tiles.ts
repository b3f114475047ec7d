import { setImmediate as nextRound } from 'node:timers/promises'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { orAborted } from '../../lib/or-aborted.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { TileLane, TileShare } from './tile-lane.ts'
import type { MadeTile, TilesWish, TileWish } from './tile-wish.ts'

/** Makes tiles in the order of the wish. */
export type MakeTiles = (wish: TilesWish, signal: AbortSignal) => Promise<MadeTile[]>

interface JoinedTilesLimits {
  /** Threads or processes among which waiting tiles are divided. */
  workers: number
  /** Tiles that one of them is given at once at most. */
  most: number
}

type Rest = Omit<TileWish, 'tile'>

/** Tiles that differ by column and row alone. */
interface Family {
  waiting: Asked[]
  /** What they take, about as rows; undefined as long as none was made. */
  weight: number | undefined
}

interface Asked {
  tile: TileAddress
  made: PromiseWithResolvers<MadeTile>
  signal: AbortSignal
}

/** Tiles that come to more than this take so long that what they have in common does not matter, and come one by one. */
const mostWeight = 600
/** A tile nothing is known of. */
const presumedWeight = mostWeight / 2
/** Bytes of a tile that take as long as a row: few rows may have many vertices. */
const bytesOfRow = 64
const mostFamilies = 1000

/**
 * A map asks for many tiles at once: those of one table and zoom that wait together are made by one call. A reader that is
 * free gets its share of them, so that none is idle meanwhile. A tile that nobody waits with is made as soon as without this.
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

  /** Throws what `make` throws for this tile by itself. */
  run(store: string, { tile, ...rest }: TileWish, make: MakeTiles, share: TileShare): Promise<MadeTile> {
    const { signal } = share
    const family = this.#familyOf(store, tile, rest)
    const asked: Asked = { tile, made: Promise.withResolvers(), signal }
    family.waiting.push(asked)
    const turn = async (): Promise<void> => {
      // What came in the same round of the event loop has its place by then.
      await nextRound()
      if (family.waiting.includes(asked)) await this.#makeShare(family, asked, { rest, make })
    }
    this.#lane.run(store, turn, share).catch((error: unknown) => {
      remove(family.waiting, asked)
      asked.made.reject(error)
    })
    return orAborted(asked.made.promise, signal)
  }

  /** What a filter leaves has nothing in common that is read once. */
  #familyOf(store: string, { z }: TileAddress, rest: Rest): Family {
    if (rest.filter !== undefined) return { waiting: [], weight: undefined }
    const last = this.#last
    if (last?.store === store && last.z === z && isSame(last.rest, rest)) return last.family
    const begin = (): Family => ({ waiting: [], weight: undefined })
    const family = this.#families.get(JSON.stringify([store, z, rest]), begin)
    this.#last = { store, z, rest, family }
    return family
  }

  /** The tile whose turn it is, and with it a share of those of the same family that wait, whoever asks for them. */
  async #makeShare(
    family: Family,
    asked: Asked,
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

/** Settles every one of the group; where they cannot be made together, each fails or not by itself. */
async function makeAll(
  family: Family,
  group: readonly Asked[],
  make: (tiles: TileAddress[], signal: AbortSignal) => Promise<MadeTile[]>,
): Promise<void> {
  const waiting = group.filter(({ signal }) => !signal.aborted)
  if (waiting.length === 0) return
  const [only] = waiting
  const leaving = waiting.length === 1 ? undefined : new AllLeft(waiting.map(({ signal }) => signal))
  try {
    const tiles = waiting.map(({ tile }) => tile)
    const made = await make(tiles, (leaving ?? (only as Asked)).signal)
    const weight = weightOf(made)
    family.weight = family.weight === undefined ? weight : (family.weight * 3 + weight) / 4
    for (const [at, asked] of waiting.entries()) asked.made.resolve(made[at] as MadeTile)
  } catch (error) {
    if (waiting.length === 1) only?.made.reject(error)
    else for (const asked of waiting) await makeAll(family, [asked], make)
  } finally {
    leaving?.close()
  }
}

function weightOf(made: readonly MadeTile[]): number {
  let sum = 0
  for (const { bytes, counts } of made) sum += Math.max(counts.read, bytes.length / bytesOfRow)
  return sum / made.length
}

/** Aborts when each of several signals has. */
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

/** Whether wishes are the same at a glance; what is the same all the same has the same text. */
function isSame(one: Rest, other: Rest): boolean {
  const names = Object.keys(one) as (keyof Rest)[]
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => one[name] === other[name] || (name === 'thinning' && isFree(one) && isFree(other)))
  )
}

/** Whether nothing is left out of a tile whatever it is made of. */
function isFree({ thinning }: Rest): boolean {
  return thinning !== undefined && Object.keys(thinning).length === 0
}

function remove<T>(list: T[], one: T): void {
  const at = list.indexOf(one)
  if (at >= 0) list.splice(at, 1)
}
