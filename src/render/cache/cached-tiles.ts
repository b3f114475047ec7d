import {
  type LayerRecord,
  type Layers,
  type LayerVersion,
  type StateReading,
  settledLayer,
} from '../../catalog/index.ts'
import { JoinedWork } from '../../core/concurrency/joined-work.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { Tile } from '../../stores/index.ts'
import type { CachedTile, TileFamily, TileKey } from './cached-tile.ts'
import { tileText } from './cached-tile.ts'
import type { TileCache } from './tile-cache.ts'

/** Key of a tile, without the layer and its version. */
export type UnversionedTileKey = Omit<TileKey, 'layerId' | 'version'>

/** Further tiles made at the same time, which are stored too. */
type Beside<Counts> = readonly (Tile<Counts> & Pick<TileKey, 'tile'>)[]

/** Makes one kind of tiles. */
export interface TileMaker<Counts> {
  formats: readonly TileFamily['format'][]
  /** True if it makes such tiles of the layer; absent: all. */
  canMake?(layer: LayerRecord, key: UnversionedTileKey): boolean
  /** Makes a tile. `now` is the version of the layer, read immediately before. */
  make(
    layer: LayerRecord,
    key: UnversionedTileKey,
    signal: AbortSignal,
    now: LayerVersion,
  ): Promise<Tile<Counts> & { beside?: Beside<Counts> }>
  /** Metadata of a new file of such tiles, by the names of MBTiles. */
  metadata(layer: LayerRecord, key: UnversionedTileKey): Record<string, string>
}

type TileLayers = Pick<Layers, 'versionOf' | 'isStill' | 'findById' | 'isSettled'>

/** Shared by all kinds of tiles; without `cache` each tile is made on request. */
export interface TileCachingDeps {
  layers: TileLayers
  cache: TileCache | undefined
  /** Called for each version of a layer that is encountered. */
  onVersion(layer: LayerRecord, version: number): void
}

/** Effects of a request for a tile. */
interface TileOptions {
  /** If false, the cache is read but not changed. */
  isKept?: boolean
  /** True if a person looks at the tile, so that it is worth making again after a change. */
  isCounted?: boolean
}

/**
 * Time for which a check of the data remains valid: requests within it share a tile that cannot be cached.
 */
const sharedMs = 5
const maxTries = 6

/**
 * Tiles cached by the version of their layer: a tile is stored if the version, and the visible state of the
 * data, were the same before and after it was made. Concurrent requests share one tile.
 */
export class CachedTiles<Counts> {
  readonly #deps: TileCachingDeps
  readonly #maker: TileMaker<Counts>
  readonly #works = new JoinedWork<CachedTile<Counts>>()

  constructor(deps: TileCachingDeps, maker: TileMaker<Counts>) {
    this.#deps = deps
    this.#maker = maker
  }

  /** Number of tiles being looked up or made. */
  get inFlight(): number {
    return this.#works.size
  }

  /** True if this cache makes such tiles of the layer. */
  canMake(layer: LayerRecord, key: UnversionedTileKey): boolean {
    const { formats, canMake } = this.#maker
    return formats.includes(key.format) && canMake?.(layer, key) !== false
  }

  /** Returns a tile. Throws the errors of its maker. */
  async tile(
    layer: LayerRecord,
    unversionedTileKey: UnversionedTileKey,
    signal: AbortSignal,
    { isKept = true, isCounted = isKept }: TileOptions = {},
  ): Promise<CachedTile<Counts>> {
    const before = await this.#deps.layers.versionOf(layer)
    this.#deps.onVersion(layer, before.version)
    const key = keyOf(layer, before, unversionedTileKey)
    if (isCounted) this.#deps.cache?.count(key)
    const remembered = before.isCurrent ? this.#deps.cache?.remembered(key) : undefined
    if (remembered !== undefined) return remembered as CachedTile<Counts>
    const moment = before.isCurrent ? '' : `?${Math.floor(performance.now() / sharedMs)}`
    const work = (joined: AbortSignal) => this.#findOrMake(layer, { key, before, isKept }, joined)
    return await this.#works.join(`${tileText(key)}${moment}${isKept ? '' : '!'}`, work, signal)
  }

  async #findOrMake(
    layer: LayerRecord,
    { key, before, isKept }: { key: TileKey; before: LayerVersion; isKept: boolean },
    signal: AbortSignal,
  ): Promise<CachedTile<Counts>> {
    const { cache } = this.#deps
    const looking = before.isCurrent ? cache?.find(key) : undefined
    const found = looking && (await looking)
    signal.throwIfAborted()
    if (found !== undefined) return found as CachedTile<Counts>
    const { tile, beside, at } = await this.#makeSteady(layer, key, before, signal)
    if (!tile.isCurrent || !isKept) return tile
    const metadata = (): Record<string, string> => this.#maker.metadata(at, key)
    const { version } = tile
    for (const { bytes, counts, tile: address } of beside)
      cache?.keep({ ...key, tile: address, version }, { bytes, counts, version, isCurrent: true }, metadata)
    cache?.keep({ ...key, version }, tile, metadata)
    return tile
  }

  /** Makes the tile again if the layer changed meanwhile; if changes cannot be detected, makes it once. */
  async #makeSteady(
    first: LayerRecord,
    key: UnversionedTileKey,
    firstVersion: LayerVersion,
    signal: AbortSignal,
  ): Promise<{ tile: CachedTile<Counts>; beside: Beside<Counts>; at: LayerRecord }> {
    const { layers } = this.#deps
    const make = this.#maker.make.bind(this.#maker)
    let layer = first
    let before = firstVersion
    for (let tries = 1; ; tries += 1) {
      try {
        const requestedMs = performance.now()
        const { bytes, counts, seen, isOfVersion, beside = [] } = await make(layer, key, signal, before)
        // If the data have changed, only tiles that cannot be from another version are still from the
        // requested one.
        const isNow = isOfVersion !== true || seen === before.seen
        const reading = isNow ? lookOf(seen, requestedMs) : lookOf(before.seen)
        const isCurrent = await layers.isStill(layer, before, reading)
        if (isCurrent || !before.isCurrent || tries === maxTries)
          return { tile: { bytes, counts, version: before.version, isCurrent }, beside, at: layer }
      } catch (error) {
        // The table may have been replaced under the reader.
        const isSame = signal.aborted || tries === maxTries || (await layers.isStill(layer, before))
        if (isSame || !before.isCurrent) throw error
      }
      const present = await settledLayer(layers, layer.id, signal)
      if (present === undefined) throw gone(layer)
      layer = present.layer
      before = present.now
    }
  }
}

function keyOf({ id }: LayerRecord, { version }: LayerVersion, key: UnversionedTileKey): TileKey {
  const { set, tile, variant, format } = key
  return { layerId: id, version, set, variant, format, tile }
}

function lookOf(seen: string | undefined, requestedMs?: number): StateReading | undefined {
  return seen === undefined ? undefined : { seen, requestedMs }
}

function gone({ workspace, name }: LayerRecord): Error {
  return notFound('unknown-layer', `Layer "${workspace}:${name}" does not exist any more`)
}
