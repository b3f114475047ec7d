import { Type } from 'typebox'
import { type PictureFormat, pictureMediaTypes } from '../../render/index.ts'
import { Bytes, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { urlToken } from '../url-token.ts'
import type { TileImageDeps } from './picture-deps.ts'
import { namedLayer, refusedVersion, refuseVersion } from './picture-deps.ts'
import { sendPictureTile } from './send-picture-tile.ts'
import { parseTile } from './send-tile.ts'

const Params = Type.Object({
  layer: Type.String({ description: 'Workspace and layer, such as `city:heights`' }),
  z: Type.String({ description: 'Zoom, 0 to 22' }),
  x: Type.String({ description: 'Column from the west' }),
  y: Type.String({
    description:
      'Row, counted from the north; the suffix `@2x`, as in `12@2x`, requests 512 pixels instead of 256',
  }),
})
const Query = Type.Object({
  style: Type.Optional(
    Type.String({ description: "A style of the layer's workspace or a global one; default the layer's" }),
  ),
  time: Type.Optional(
    Type.String({
      description:
        'Mosaics only: a time or date in ISO 8601 (a year, month, day or minute covers all of it), or an interval such as `2020-01-01/2020-06` or `../2020`. Default the newest time. Newer granules are drawn above older ones, and granules of the same time in the order of their names. Granules without a time are drawn only if `time` is absent, below all others',
    }),
  ),
  v: Type.Optional(
    Type.String({ description: 'Version from TileJSON; responses to other versions are not cached' }),
  ),
  version: refusedVersion,
  ...urlToken,
})

function readRow(text: string): { y: string; scale: 1 | 2 } {
  const isDouble = text.endsWith('@2x')
  return { y: isDouble ? text.slice(0, -3) : text, scale: isDouble ? 2 : 1 }
}

function pictureTile(format: PictureFormat) {
  return operation({
    tags: ['tiles'],
    isPublicRead: true,
    takesTokenInUrl: true,
    isTile: true,
    summary: `A tile of a layer as an image, ${format === 'png' ? 'PNG' : 'WebP'}`,
    description:
      'Tile of WebMercatorQuad, 256 pixels wide; transparent where there are no data. MapServer draws features; if it is not installed, the response is 503 with the code `no-map-server`. A raster whose grid does not align with web mercator is warped once; until then the response is 503 with the code `tiles-being-made` and `Retry-After`. If it cannot be warped, the response is 404 with the code `no-tiles` and the reason.',
    params: Params,
    query: Query,
    answers: {
      200: media('An image; transparent if nothing is drawn', { [pictureMediaTypes[format]]: Bytes }),
    },
    handle: async (deps: TileImageDeps, request, reply) => {
      const layer = await namedLayer(deps.catalog, request)
      refuseVersion(request.query.version)
      const { y, scale } = readRow(request.params.y)
      const tile = parseTile('WebMercatorQuad', { ...request.params, y })
      const { v, time, style } = request.query
      const requested = { layer, set: 'WebMercatorQuad', tile, scale, style, time, format, v } as const
      return sendPictureTile(deps, request, reply, requested)
    },
  })
}

export const getPngTile = pictureTile('png')
export const getWebpTile = pictureTile('webp')
