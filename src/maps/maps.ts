import type { LayerRecord } from '../catalog/records.ts'
import type { Layers, LayerVersion } from '../catalog/services/layers.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import type { RequestFilter } from '../stores/reading/request-filter.ts'
import type { EncodedTile } from '../stores/reading/table-tile-request.ts'
import type { TileAddress, TileMatrixSetId } from '../tiles/tile-matrix-sets.ts'
import type { CachedTiles, TileMaker, TileWanted } from './cache/cached-tiles.ts'
import type { CacheLimits } from './cache/layer-caching.ts'
import { LayerCaching } from './cache/layer-caching.ts'
import type { TileSources } from './sources/tile-sources.ts'
import { vectorMetadata } from './vector-metadata.ts'

/** Request for a tile of a layer. */
export interface LayerTileRequest {
  set: TileMatrixSetId
  tile: TileAddress
  /** Attributes that are shown; absent: all that a tile can hold. */
  properties?: string[] | undefined
  /** Filter of the features, by the layer's attribute names; absent: all. */
  filter?: RequestFilter | undefined
}

/** A tile of a layer at one version. */
export interface MapTile extends EncodedTile {
  version: number
  /**
   * True if no other program changed the data meanwhile, as far as known; otherwise do not cache by version.
   */
  isCurrent: boolean
}

interface MapsDeps {
  layers: Layers
  sources: TileSources
  events: EventBus
  cache: CacheLimits
  log: Logger
}

/** Maps of published layers. */
export class Maps {
  readonly #layers: Layers
  readonly #sources: TileSources
  readonly #caching: LayerCaching
  readonly #vector: CachedTiles<EncodedTile['counts']>

  constructor({ layers, sources, events, cache, log }: MapsDeps) {
    this.#layers = layers
    this.#sources = sources
    this.#caching = new LayerCaching({ layers, events, log }, cache)
    this.#vector = this.#caching.kind({
      formats: ['pbf'],
      make: (layer, wanted, signal, now) => this.#make(layer, wanted, signal, now),
      metadata: vectorMetadata,
    })
  }

  /** Creates a cache for tiles of another kind, handled like those of features. */
  keep<Counts>(maker: TileMaker<Counts>): CachedTiles<Counts> {
    return this.#caching.kind(maker)
  }

  /** Removes what an earlier process has left of layers that are gone or have changed. */
  start(): Promise<void> {
    return this.#caching.start()
  }

  close(): Promise<void> {
    return this.#caching.close()
  }

  /** Throws `Failure` (`not-found`, `no-tiles`) with the reason where a layer can have no vector tiles. */
  async requireTiles(layer: LayerRecord): Promise<void> {
    await this.#sources.requireTiles(layer)
  }

  /** Throws like `requireTiles`. With `isKept: false` reads the cache without changing it. */
  async tile(
    layer: LayerRecord,
    question: LayerTileRequest,
    signal: AbortSignal,
    { isKept = true }: { isKept?: boolean } = {},
  ): Promise<MapTile> {
    if (!this.#sources.canHaveTiles(layer)) await this.#sources.requireTiles(layer)
    const { set, tile } = question
    const wanted = { set, tile, format: 'pbf', variant: variantOf(layer, question.properties) } as const
    if (question.filter !== undefined) return this.#filtered(layer, wanted, question.filter, signal)
    return await this.#vector.tile(layer, wanted, signal, { isKept })
  }

  /** Not cached: the same filter is rarely requested twice. */
  async #filtered(
    layer: LayerRecord,
    wanted: TileWanted,
    filter: RequestFilter,
    signal: AbortSignal,
  ): Promise<MapTile> {
    const now = await this.#layers.versionOf(layer)
    const made = await this.#make(layer, wanted, signal, now, filter)
    const after = await this.#layers.versionOf(layer)
    const isCurrent = now.isCurrent && after.isCurrent && after.version === now.version
    return { ...made, version: now.version, isCurrent }
  }

  async #make(
    layer: LayerRecord,
    wanted: TileWanted,
    signal: AbortSignal,
    now: LayerVersion,
    filter?: RequestFilter,
  ): Promise<EncodedTile & { isOfVersion?: boolean }> {
    const { set, tile, variant } = wanted
    const asked = { set, zoom: tile.z, now, isFiltered: filter !== undefined }
    const { store, ...source } = await this.#sources.of(layer, asked, signal)
    const shown = { name: layer.name, ...attributesOf(variant), ...(filter === undefined ? {} : { filter }) }
    const wish = { ...source, set, tile, ...shown }
    const { seen, isOfRowFile, ...made } = await store.writeTile(wish, signal)
    // Rows of a row file are those of the version, whatever the table is now.
    const isOfVersion = isOfRowFile === true
    // The state of a copy says nothing about the layer's own table.
    if (seen === undefined || source.columns !== undefined) return { ...made, isOfVersion }
    return { ...made, isOfVersion, seen }
  }
}

/** The same text for the same attributes; those that the layer has not are left out. */
function variantOf({ details: { schema } }: LayerRecord, properties: string[] | undefined): string {
  if (properties === undefined) return ''
  const wanted = new Set(properties)
  return JSON.stringify(schema.attributes.map(({ name }) => name).filter((name) => wanted.has(name)))
}

function attributesOf(variant: string): { attributes?: string[] } {
  return variant === '' ? {} : { attributes: JSON.parse(variant) as string[] }
}
