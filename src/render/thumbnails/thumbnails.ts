import type { LayerRecord } from '../../catalog/index.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { RasterSymbolizer, Style } from '../../styles/index.ts'
import type { TileAddress } from '../../tiles/tile-matrix-sets.ts'
import type { Maps } from '../maps.ts'
import type { PictureFormat } from '../pictures/encode-picture.ts'
import type { Pictures } from '../pictures/pictures.ts'
import type { Rasters } from '../rasters/rasters.ts'
import { frameOf, mercatorBox } from './thumbnail-frame.ts'

/** Request for a thumbnail. */
export interface ThumbnailRequest {
  width: number
  height: number
  format: PictureFormat
  style: Style
  /** Differs after any change of the style. */
  styleKey: string
  /** Symbolizers of the style for rasters; used if the layer is a raster. */
  symbols: RasterSymbolizer[]
  /**
   * Extent of the layer in degrees; the eastern edge exceeds 180 if it crosses the antimeridian; undefined if
   * the layer is empty.
   */
  range: Envelope | undefined
}

/** A small picture of a layer. */
export interface Thumbnail {
  version: number
  isCurrent: boolean
  bytes: Uint8Array
}

interface ThumbnailsDeps {
  maps: Maps
  rasters: Rasters
  pictures: Pictures
}

/** Deepest zoom level of vector tiles that is read; clients enlarge tiles beyond it. */
const deepestVectors = 18
const keptBytes = 16 << 20

/** Draws thumbnails of layers from their own tiles, and caches them by version. */
export class Thumbnails {
  readonly #deps: ThumbnailsDeps
  readonly #kept = new Map<string, Thumbnail>()
  #bytes = 0

  constructor(deps: ThumbnailsDeps) {
    this.#deps = deps
  }

  /** Returns a thumbnail. Throws `Failure` if the layer has no tiles, or if images cannot be drawn. */
  async get(
    layer: LayerRecord,
    { version, isCurrent }: { version: number; isCurrent: boolean },
    request: ThumbnailRequest,
    signal: AbortSignal,
  ): Promise<Thumbnail> {
    const { width, height, format, styleKey } = request
    const key = JSON.stringify([layer.id, version, styleKey, width, height, format])
    const known = isCurrent ? this.#kept.get(key) : undefined
    if (known !== undefined) return known
    const drawn =
      layer.details.kind === 'raster'
        ? await this.#ofRasters(layer, request, signal)
        : await this.#ofFeatures(layer, request, signal)
    const made = {
      bytes: drawn.bytes,
      version,
      isCurrent: isCurrent && drawn.versions.every((one) => one === version),
    }
    if (made.isCurrent) this.#keep(key, made)
    return made
  }

  #keep(key: string, made: Thumbnail): void {
    this.#kept.set(key, made)
    this.#bytes += made.bytes.length
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= keptBytes) return
      this.#kept.delete(oldest)
      this.#bytes -= bytes.length
    }
  }

  /** The same for an earlier version of a feature layer, whose vector tiles `read` returns; not cached. */
  ofEarlier(
    layer: LayerRecord,
    query: Omit<ThumbnailRequest, 'styleKey' | 'symbols'>,
    read: (tile: TileAddress, attributes: string[]) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const attributes = attributesOf(layer, query.style)
    return this.#draw(query, (tile) => read(tile, attributes), signal)
  }

  async #ofFeatures(layer: LayerRecord, request: ThumbnailRequest, signal: AbortSignal) {
    const { maps } = this.#deps
    await maps.requireTiles(layer)
    const versions: (number | undefined)[] = []
    const attributes = attributesOf(layer, request.style)
    const read = async (tile: TileAddress): Promise<Uint8Array> => {
      const made = await maps.tile(layer, { set: 'WebMercatorQuad', tile, attributes }, signal)
      versions.push(made.isCurrent ? made.version : undefined)
      return made.bytes
    }
    return { versions, bytes: await this.#draw(request, read, signal) }
  }

  async #draw(
    query: Omit<ThumbnailRequest, 'styleKey' | 'symbols'>,
    read: (tile: TileAddress) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { width, height, format, style, range } = query
    const box = range === undefined ? undefined : await this.#narrow(mercatorBox(range), read, signal)
    const frame = box && frameOf(box, { width, height, maxZoom: deepestVectors })
    const tiles = await Promise.all(
      (frame?.tiles ?? []).map(async ({ tile, ...place }) => ({ ...place, bytes: await read(tile) })),
    )
    const request = { width, height, format, style, size: frame?.size ?? 1, scale: frame?.scale ?? 1 }
    return this.#deps.pictures.thumbnail({ ...request, tiles }, signal)
  }

  /** Narrows the box of a layer around the antimeridian, so that the layer is shown in one piece. */
  async #narrow(
    box: ReturnType<typeof mercatorBox>,
    read: (tile: TileAddress) => Promise<Uint8Array>,
    signal: AbortSignal,
  ) {
    if (box.east - box.west < 0.95) return box
    const span = await this.#deps.pictures.span(await read({ z: 0, x: 0, y: 0 }), signal)
    if (span === undefined || span[1] - span[0] > 0.6) return box
    return { ...box, west: span[0], east: span[1] }
  }

  async #ofRasters(layer: LayerRecord, request: ThumbnailRequest, signal: AbortSignal) {
    const { rasters, pictures } = this.#deps
    const { width, height, format, symbols, range } = request
    const { maxzoom: maxZoom } = await rasters.zooms(layer, signal)
    // Raster tiles have half the width in pixels that frames assume.
    const frame = range && frameOf(mercatorBox(range), { width, height, maxZoom })
    const isLarge = (frame?.size ?? 0) > 256
    const versions: (number | undefined)[] = []
    const tiles = await Promise.all(
      (frame?.tiles ?? []).map(async ({ tile, ...place }) => {
        const scale = isLarge ? 2 : 1
        const made = await rasters.tile(
          layer,
          { tile, scale, symbols, time: undefined, format: 'png' },
          signal,
        )
        versions.push(made.isCurrent ? made.version : undefined)
        return { ...place, bytes: made.bytes }
      }),
    )
    const drawn = tiles.flatMap(({ bytes, ...place }) => (bytes.length === 0 ? [] : [{ ...place, bytes }]))
    const options = { width, height, format, size: frame?.size ?? 1, scale: frame?.scale ?? 1, tiles: drawn }
    return { versions, bytes: await pictures.thumbnail(options, signal) }
  }
}

/** Returns the layer's attributes that a style uses. */
function attributesOf({ details: { schema } }: LayerRecord, style: Style): string[] {
  return [...new Set(attributesIn(style))].filter((name) =>
    schema.attributes.some((attribute) => attribute.name === name),
  )
}

/** Returns the names of the attributes in a style; it uses no others. */
function attributesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(attributesIn)
  if (typeof value !== 'object' || value === null) return []
  // Conditions name an attribute by an expression, other values of a style by `property`.
  if ('kind' in value && value.kind === 'property' && 'name' in value) return [String(value.name)]
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'property' && typeof inner === 'string' ? [inner] : attributesIn(inner),
  )
}
