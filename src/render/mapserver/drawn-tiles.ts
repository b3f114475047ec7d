import type { LayerRecord, Layers, LayerVersion } from '../../catalog/index.ts'
import { JoinedWork } from '../../core/concurrency/joined-work.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { Style } from '../../styles/index.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import type { CachedTile } from '../cache/cached-tile.ts'
import type { CachedTiles, TileMaker, UnversionedTileKey } from '../cache/cached-tiles.ts'
import type { PictureFormat } from '../pictures/encode-picture.ts'
import type { Pictures } from '../pictures/pictures.ts'
import type { MapDrawings } from './map-drawings.ts'
import { digestMapFile } from './map-file.ts'
import type { Metatile } from './metatile.ts'
import { metatileOf, tilesOf } from './metatile.ts'

/** Request for an image tile of a feature layer. */
export interface DrawnTileRequest {
  set: TileMatrixSetId
  tile: TileAddress
  /** 2: twice as many cells in both directions. */
  scale: 1 | 2
  style: Style
  format: PictureFormat
}

type NoCounts = Record<string, never>

interface DrawnTilesDeps {
  layers: Pick<Layers, 'isStill'>
  drawings: MapDrawings
  pictures: Pick<Pictures, 'cut'>
  /** Creates the cache: see `Maps.keep`. */
  keepTiles<Counts>(maker: TileMaker<Counts>): CachedTiles<Counts>
}

interface Cut {
  tile: TileAddress
  bytes: Uint8Array
  counts: NoCounts
}

/** Maximum number of recently used styles. */
const maxStyles = 1000

/**
 * Image tiles of feature layers. Several tiles are drawn as one image, so that no mark or label is cut at
 * tile edges.
 */
export class DrawnTiles {
  readonly #deps: DrawnTilesDeps
  readonly #tiles: CachedTiles<NoCounts>
  readonly #works = new JoinedWork<Cut[]>()
  readonly #digests = new WeakMap<Style, string>()
  /** Styles by digest, the most recently used last. */
  readonly #styles = new Map<string, Style>()

  constructor(deps: DrawnTilesDeps) {
    this.#deps = deps
    this.#tiles = deps.keepTiles({
      formats: ['png', 'webp'],
      canMake: ({ details }, { variant }) =>
        details.kind === 'vector' && this.#styles.has(readVariant(variant).digest),
      make: (layer, key, signal, now) => this.#make(layer, key, signal, now),
      metadata: ({ name, details }) => ({ name, description: details.title, type: 'overlay' }),
    })
  }

  /** Returns an image tile. Throws like `MapDrawings.draw`. */
  tile(
    layer: LayerRecord,
    { set, tile, scale, style, format }: DrawnTileRequest,
    signal: AbortSignal,
  ): Promise<CachedTile> {
    const variant = `${scale} ${this.#remember(style)}`
    return this.#tiles.tile(layer, { set, tile, variant, format }, signal)
  }

  /** Stores a style and returns its digest. */
  #remember(style: Style): string {
    const digest = this.#digests.get(style) ?? digestMapFile(JSON.stringify(style))
    this.#digests.set(style, digest)
    this.#styles.delete(digest)
    this.#styles.set(digest, style)
    const [oldest = ''] = this.#styles.keys()
    if (this.#styles.size > maxStyles) this.#styles.delete(oldest)
    return digest
  }

  async #make(
    layer: LayerRecord,
    unversionedTileKey: UnversionedTileKey,
    signal: AbortSignal,
    now: LayerVersion,
  ) {
    const { set, tile, variant, format } = unversionedTileKey
    const { scale } = readVariant(variant)
    // A tile that cannot be cached is drawn alone.
    const metatile = metatileOf(set, tile, { side: now.isCurrent ? undefined : 1, scale })
    const drawingKey = `${set} ${metatile.z}/${metatile.x}/${metatile.y}/${metatile.columns}`
    const key = `${layer.id} ${now.version} ${drawingKey} ${variant} ${format}`
    let isFirst = false
    const draw = async (joined: AbortSignal): Promise<Cut[]> => {
      isFirst = true
      return this.#draw(layer, unversionedTileKey, { metatile, now }, joined)
    }
    const cuts = now.isCurrent ? await this.#works.join(key, draw, signal) : await draw(signal)
    const own = cuts.find((one) => one.tile.x === tile.x && one.tile.y === tile.y)
    if (own === undefined) throw new Error('A tile lies in its metatile')
    const isStill = isFirst && now.isCurrent && (await this.#deps.layers.isStill(layer, now))
    const beside = isStill ? cuts.filter((one) => one !== own) : []
    return { bytes: own.bytes, counts: {}, beside }
  }

  async #draw(
    layer: LayerRecord,
    { variant, format }: UnversionedTileKey,
    { metatile, now }: { metatile: Metatile; now: LayerVersion },
    signal: AbortSignal,
  ): Promise<Cut[]> {
    const { scale, digest } = readVariant(variant)
    const style = this.#styles.get(digest)
    if (style === undefined) throw notFound('unknown-style', 'The style of the tile is not known any more')
    const { srs, box, width, height, left, top, size, columns, rows, margin } = metatile
    const picture = await this.#deps.drawings.draw(
      {
        layers: [{ layer, style, now }],
        srs,
        box,
        width,
        height,
        format: 'png',
        isTransparent: true,
        background: '#ffffff',
        density: scale,
        labelMargin: margin,
      },
      signal,
    )
    const request = { picture, left, top, size, columns, rows, format: formatOf(format) }
    const squares = await this.#deps.pictures.cut(request, signal)
    return tilesOf(metatile).map((tile, index) => ({
      tile,
      bytes: squares[index] ?? new Uint8Array(),
      counts: {},
    }))
  }
}

function formatOf(format: UnversionedTileKey['format']): PictureFormat {
  return format === 'webp' ? format : 'png'
}

function readVariant(variant: string): { scale: 1 | 2; digest: string } {
  const [scale, digest = ''] = variant.split(' ')
  return { scale: scale === '2' ? 2 : 1, digest }
}
