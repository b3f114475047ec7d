import type { LayerRecord, Layers, LayerVersion } from '../catalog/index.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Tile, TileRequest } from '../stores/index.ts'
import type { CachedTile } from './cache/cached-tile.ts'
import type { CachedTiles, TileMaker } from './cache/cached-tiles.ts'
import type { CacheLimits } from './cache/layer-caching.ts'
import { LayerCaching } from './cache/layer-caching.ts'
import type { TileSources } from './sources/tile-sources.ts'
import { vectorMetadata } from './vector-metadata.ts'

interface MapsDeps {
  layers: Layers
  sources: TileSources
  events: EventBus
  cache: CacheLimits
  log: Logger
}

export type { CachedTile }

/** Maps of published layers. */
export class Maps {
  readonly #layers: Layers
  readonly #sources: TileSources
  readonly #caching: LayerCaching
  readonly #vector: CachedTiles<Tile['counts']>

  constructor({ layers, sources, events, cache, log }: MapsDeps) {
    this.#layers = layers
    this.#sources = sources
    this.#caching = new LayerCaching({ layers, events, log }, cache)
    this.#vector = this.#caching.kind({
      formats: ['pbf'],
      make: (layer, { set, tile, variant }, signal, now) =>
        this.#make(layer, { set, tile, attributes: attributesOf(variant) }, signal, now),
      metadata: vectorMetadata,
    })
  }

  /** Creates a cache for tiles of another kind, handled like those of features. */
  keep<Counts>(maker: TileMaker<Counts>): CachedTiles<Counts> {
    return this.#caching.kind(maker)
  }

  /** Removes files that an earlier process left for deleted or changed layers. */
  start(): Promise<void> {
    return this.#caching.start()
  }

  close(): Promise<void> {
    return this.#caching.close()
  }

  /** Throws `Failure` (`not-found`, `no-tiles`) with the reason if a layer can have no vector tiles. */
  async requireTiles(layer: LayerRecord): Promise<void> {
    await this.#sources.requireTiles(layer)
  }

  /**
   * Returns a vector tile. Throws like `requireTiles`. With `isKept: false` reads the cache without changing
   * it.
   */
  async tile(
    layer: LayerRecord,
    request: TileRequest,
    signal: AbortSignal,
    { isKept = true }: { isKept?: boolean } = {},
  ): Promise<CachedTile<Tile['counts']>> {
    if (!this.#sources.canHaveTiles(layer)) await this.#sources.requireTiles(layer)
    if (request.filter !== undefined) return this.#filtered(layer, request, signal)
    const { set, tile, attributes } = request
    const requested = { set, tile, format: 'pbf', variant: variantOf(layer, attributes) } as const
    return await this.#vector.tile(layer, requested, signal, { isKept })
  }

  /** Not cached: the same filter is rarely requested twice. */
  async #filtered(
    layer: LayerRecord,
    request: TileRequest,
    signal: AbortSignal,
  ): Promise<CachedTile<Tile['counts']>> {
    const now = await this.#layers.versionOf(layer)
    const { bytes, counts } = await this.#make(layer, request, signal, now)
    const after = await this.#layers.versionOf(layer)
    const isCurrent = now.isCurrent && after.isCurrent && after.version === now.version
    return { bytes, counts, version: now.version, isCurrent }
  }

  async #make(
    layer: LayerRecord,
    request: TileRequest,
    signal: AbortSignal,
    now: LayerVersion,
  ): Promise<Tile> {
    const { store, source } = await this.#sources.of(layer, request, now, signal)
    const tile = await store.writeTile(source, request, signal)
    if (source.columns === undefined) return tile
    // The state of a copy is not that of the layer's own table.
    const { seen: _, ...made } = tile
    return made
  }
}

/** Returns the same text for the same attributes; ignores attributes that the layer does not have. */
function variantOf({ details: { schema } }: LayerRecord, attributes: string[] | undefined): string {
  if (attributes === undefined) return ''
  const requested = new Set(attributes)
  return JSON.stringify(schema.attributes.map(({ name }) => name).filter((name) => requested.has(name)))
}

function attributesOf(variant: string): string[] | undefined {
  return variant === '' ? undefined : (JSON.parse(variant) as string[])
}
