import type { LayerRecord } from '../../catalog/index.ts'
import {
  type CachedTile,
  emptyPicture,
  mapFrame,
  mercatorOfDegrees,
  type PictureFormat,
  parseTime,
  type Rasters,
  type TimeSelection,
} from '../../render/index.ts'
import type { Style } from '../../styles/index.ts'
import type { TileAddress, TileMatrixSetId } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../../tiles/tile-matrix-sets.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { rasterSymbols, styleFor } from './drawn-style.ts'
import type { PictureDeps, TileImageDeps } from './picture-deps.ts'
import { isKept, sendPicture } from './picture-deps.ts'

/** A picture of a tile of a layer that the caller may read. */
export interface TileImageRequest {
  layer: LayerRecord
  set: TileMatrixSetId
  tile: TileAddress
  /** 2: twice as many cells in both directions. */
  scale: 1 | 2
  /** Name of a style; the layer's own where there is none. */
  style: string | undefined
  /** Time of a mosaic. */
  time: string | undefined
  format: PictureFormat
  /** The version that the client takes the layer to have. */
  v?: string | undefined
  /** Sent as JPEG, on white. */
  isOpaque?: boolean
}

/** The style and the time that a request names. */
interface ReadParameters {
  style: Style
  time: TimeSelection | undefined
}

const tileCells = 256
/** Degrees of latitude beyond which web mercator is not followed. */
const utmost = 89.99

/** Sends a tile of a layer as an image, by its style. */
export async function sendPictureTile(
  deps: TileImageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  tileImageRequest: TileImageRequest,
): Promise<unknown> {
  const { layer, format, scale, v, isOpaque } = tileImageRequest
  const time = layer.details.kind === 'raster' ? parseTime(tileImageRequest.time) : undefined
  const { style, key } = await styleFor(deps, request, layer, tileImageRequest.style)
  const known = await deps.catalog.layers.versionOf(layer)
  const mark = { at: { layer, ...known }, key: isOpaque === true ? `${key}-opaque` : key, v }
  if (isKept(deps, reply, mark)) return reply.send()
  const made = await deps.limiter.run(reply, async (signal) => {
    const drawn = await makeTile(deps, tileImageRequest, { style, time }, signal)
    const bytes = drawn.bytes.length === 0 ? emptyPicture(format, scale === 1 ? 256 : 512) : drawn.bytes
    return {
      ...drawn,
      bytes: isOpaque === true ? await deps.pictures.onWhite(bytes, tileCells * scale, signal) : bytes,
    }
  })
  if (made === undefined) return reply.hijack()
  const at = { layer, version: made.version, isCurrent: made.isCurrent }
  const { bytes } = made
  return sendPicture(deps, reply, { ...mark, at }, { bytes, format: isOpaque === true ? 'jpeg' : format })
}

function makeTile(
  { rasters, drawnTiles }: Pick<PictureDeps, 'rasters' | 'drawnTiles'>,
  request: TileImageRequest,
  { style, time }: ReadParameters,
  signal: AbortSignal,
): Promise<CachedTile> {
  const { layer, set, tile, scale, format } = request
  if (layer.details.kind !== 'raster')
    return drawnTiles.tile(layer, { set, tile, scale, style, format }, signal)
  if (set !== 'WebMercatorQuad') return degreesTile(rasters, request, { style, time }, signal)
  const symbols = rasterSymbols(style, tile.z)
  return rasters.tile(layer, { tile, scale, symbols, time, format }, signal)
}

/** Returns a raster tile in degrees: an image of its box, which is not cached. */
async function degreesTile(
  rasters: Rasters,
  { layer, set, tile, scale, format }: TileImageRequest,
  { style, time }: ReadParameters,
  signal: AbortSignal,
): Promise<CachedTile> {
  const matrix = getTileMatrixSet(set)
  const box = tileEnvelope(matrix, tile)
  const [minX, minY] = mercatorOfDegrees(box.minX, Math.max(-utmost, box.minY))
  const [maxX, maxY] = mercatorOfDegrees(box.maxX, Math.min(utmost, box.maxY))
  const size = tileCells * scale
  const { maxzoom } = await rasters.zooms(layer, signal)
  const picture = { srs: matrix.srs, box, width: size, height: size }
  const frame = mapFrame(picture, { minX, minY, maxX, maxY }, maxzoom)
  const symbols = rasterSymbols(style, frame.zoom)
  const times = time === undefined ? undefined : [time]
  return rasters.map(layer, { frame, symbols, times, format, background: [0, 0, 0, 0] }, signal)
}
