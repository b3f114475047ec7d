import { Type } from 'typebox'
import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { invalid } from '../../lib/errors.ts'
import type { DrawnTiles } from '../../maps/drawing/drawn-tiles.ts'
import type { MapFormat } from '../../maps/pictures/encode-picture.ts'
import { mapMediaTypes } from '../../maps/pictures/encode-picture.ts'
import type { Pictures } from '../../maps/pictures/pictures.ts'
import type { Rasters } from '../../maps/rasters/rasters.ts'
import type { Thumbnails } from '../../maps/thumbnails/thumbnails.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { LayerAtVersion } from './caching.ts'
import { hasAlready, sayHowLong } from './caching.ts'
import { namedLayers } from './named-layers.ts'
import type { TileParts } from './tile-parts.ts'

/** What the endpoints of pictures work with. */
export interface PictureParts extends Omit<TileParts, 'rasters'> {
  catalog: Pick<Catalog, 'layers' | 'styles' | 'stores' | 'versions'>
  rasters: Rasters
  pictures: Pictures
  drawnTiles: DrawnTiles
  thumbnails: Thumbnails
}

/** The one layer that the path names; pictures show no more. */
export async function namedLayer(parts: PictureParts, request: FastifyRequest): Promise<LayerRecord> {
  const [layer, ...others] = await namedLayers(parts, request)
  if (layer === undefined || others.length > 0)
    throw invalid('one-layer', `A picture shows one layer, found ${others.length + 1}`)
  return layer
}

/** In the query of what shows a layer as it is now alone. */
export const refusedVersion = Type.Optional(
  Type.String({ description: 'A 400: earlier versions are not shown here' }),
)

/**
 * Refuses what goes with answers about features and about the layer alone: a picture of what it is now would be taken for one
 * of what it was.
 */
export function refuseVersion(version: string | undefined): void {
  if (version === undefined) return
  throw invalid(
    'invalid-parameter',
    'version does not go with this address: tiles as .mvt, TileJSON, style.json, legends and thumbnails show a layer as it was',
  )
}

/** What is known of an answer: the layer at its version, and what else it is made by. */
export interface PictureMark {
  at: LayerAtVersion
  /** Of the style and of whatever else moves the picture without the layer's version. */
  key: string
  /** The version that the client takes the layer to have. */
  v: string | undefined
}

function marked(parts: PictureParts, { key }: PictureMark): PictureParts {
  return { ...parts, version: `${parts.version}-${key}` }
}

/** Says how long the picture may be kept; 304 where the client has it already, and then there is no more to do. */
export function isKept(parts: PictureParts, reply: FastifyReply, mark: PictureMark): boolean {
  sayHowLong(marked(parts, mark), reply, [mark.at], mark.v)
  if (!hasAlready(reply.request, marked(parts, mark), [mark.at])) return false
  reply.code(304)
  return true
}

/** Sends a picture. */
export function sendPicture(
  parts: PictureParts,
  reply: FastifyReply,
  mark: PictureMark,
  picture: { bytes: Uint8Array; format: MapFormat },
): FastifyReply {
  sayHowLong(marked(parts, mark), reply, [mark.at], mark.v)
  const { bytes, format } = picture
  return reply.header('content-type', mapMediaTypes[format]).send(Buffer.from(bytes))
}
