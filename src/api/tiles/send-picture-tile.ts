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
import type { ReadableMember } from '../readable-groups.ts'
import { hasAlready, setCacheControl } from './caching.ts'
import { rasterSymbols, styleFor } from './drawn-style.ts'
import type { PictureDeps, TileImageDeps } from './picture-deps.ts'
import { isKept, sendPicture } from './picture-deps.ts'
import { versionsOf } from './send-tile.ts'

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

/** A picture of a tile with several layers, the lowest first. */
export interface GroupTileRequest extends Pick<TileImageRequest, 'set' | 'tile'> {
  members: readonly ReadableMember[]
  /** Sent as JPEG, on white. */
  isOpaque: boolean
}

/** Sends one image of a tile of several layers, each by its style; of mosaics the newest time. */
export async function sendGroupTile(
  deps: TileImageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { members, set, tile, isOpaque }: GroupTileRequest,
): Promise<unknown> {
  const layers = members.map(({ layer }) => layer)
  const styles = await Promise.all(members.map(({ layer, style }) => styleFor(deps, request, layer, style)))
  const keys = [...styles.map(({ key }) => key), isOpaque ? 'opaque' : 'png'].join('-')
  const marked = { version: `${deps.version}-${keys}`, sharedMaxAgeSeconds: deps.sharedMaxAgeSeconds }
  const known = await versionsOf(deps.catalog.layers, layers)
  setCacheControl(marked, reply, known)
  if (hasAlready(request, marked, known)) return reply.code(304).send()
  const made = await deps.limiter.run(reply, async (signal) => {
    const tiles = await Promise.all(
      members.map(({ layer }, index) => {
        const { style = { rules: [], lost: [] } } = styles[index] ?? {}
        const one = { layer, set, tile, scale: 1, style: undefined, time: undefined, format: 'png' } as const
        return makeTile(deps, one, { style, time: undefined }, signal)
      }),
    )
    return { tiles, bytes: await layTiles(deps, tiles, isOpaque, signal) }
  })
  if (made === undefined) return reply.hijack()
  const sent = made.tiles.map(({ version, isCurrent }, index) => {
    return { layer: layers[index] as LayerRecord, version, isCurrent }
  })
  setCacheControl(marked, reply, sent)
  return reply.header('content-type', isOpaque ? 'image/jpeg' : 'image/png').send(Buffer.from(made.bytes))
}

function layTiles(
  { pictures }: Pick<PictureDeps, 'pictures'>,
  tiles: readonly CachedTile[],
  isOpaque: boolean,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const drawn = tiles.map(({ bytes }) => bytes).filter(({ length }) => length > 0)
  const frame = {
    pictures: drawn.length > 0 ? drawn : [emptyPicture('png', 256)],
    width: tileCells,
    height: tileCells,
  }
  return isOpaque
    ? pictures.lay({ ...frame, background: [255, 255, 255, 255], format: 'jpeg' }, signal)
    : pictures.lay({ ...frame, background: [0, 0, 0, 0], format: 'png' }, signal)
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
