import { Type } from 'typebox'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import {
  type DrawnTiles,
  type MapFormat,
  mapMediaTypes,
  type Pictures,
  type Rasters,
  type Thumbnails,
} from '../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { CachingSettings, LayerAtVersion } from './caching.ts'
import { hasAlready, setCacheControl } from './caching.ts'
import { namedLayers } from './named-layers.ts'
import type { TileDeps } from './send-tile.ts'

/** Dependencies of the endpoints for images. */
export interface PictureDeps extends Omit<TileDeps, 'rasters'> {
  catalog: Pick<Catalog, 'layers' | 'layerGroups' | 'styles' | 'stores' | 'versions'>
  rasters: Rasters
  pictures: Pictures
  drawnTiles: DrawnTiles
  thumbnails: Thumbnails
}

/** Dependencies of images of tiles. */
export type TileImageDeps = Omit<PictureDeps, 'maps' | 'earlier' | 'thumbnails'>

/** Returns the single layer in the path; images show one layer only. */
export async function namedLayer(
  catalog: Pick<Catalog, 'layers' | 'layerGroups'>,
  request: FastifyRequest,
): Promise<LayerRecord> {
  const [layer, ...others] = await namedLayers(catalog, request)
  if (layer === undefined || others.length > 0)
    throw invalid('one-layer', `An image shows one layer, found ${others.length + 1}`)
  return layer
}

/** Query parameter of endpoints that show only the current version. */
export const refusedVersion = Type.Optional(
  Type.String({ description: 'Not supported: the response is 400' }),
)

/**
 * Rejects a parameter that only feature and layer responses support: an image of the current version could be
 * mistaken for one of the earlier version.
 */
export function refuseVersion(version: string | undefined): void {
  if (version === undefined) return
  throw invalid(
    'invalid-parameter',
    'version is not supported here: only .mvt tiles, TileJSON, style.json, legends and thumbnails accept it',
  )
}

/** Inputs of a response: the layer at its version, and others. */
export interface PictureMark {
  at: LayerAtVersion
  /** Key of the style, and of other inputs that change without the layer's version. */
  key: string
  /** The version that the client takes the layer to have. */
  v: string | undefined
}

function marked({ version, sharedMaxAgeSeconds }: CachingSettings, { key }: PictureMark): CachingSettings {
  return { version: `${version}-${key}`, sharedMaxAgeSeconds }
}

/** Sets how long the image may be cached; returns true, with status 304, if the client has it already. */
export function isKept(deps: CachingSettings, reply: FastifyReply, mark: PictureMark): boolean {
  setCacheControl(marked(deps, mark), reply, [mark.at], mark.v)
  if (!hasAlready(reply.request, marked(deps, mark), [mark.at])) return false
  reply.code(304)
  return true
}

/** Sends a picture. */
export function sendPicture(
  deps: CachingSettings,
  reply: FastifyReply,
  mark: PictureMark,
  picture: { bytes: Uint8Array; format: MapFormat },
): FastifyReply {
  setCacheControl(marked(deps, mark), reply, [mark.at], mark.v)
  const { bytes, format } = picture
  return reply.header('content-type', mapMediaTypes[format]).send(Buffer.from(bytes))
}
