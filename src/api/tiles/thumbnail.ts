import { Type } from 'typebox'
import type { LayerRecord } from '../../catalog/index.ts'
import { type PictureFormat, pictureMediaTypes, requireVectorTiles } from '../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { Bytes, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { geographicRange } from '../geographic-range.ts'
import { urlToken } from '../url-token.ts'
import { rasterSymbols, styleFor, styleOfVersion } from './drawn-style.ts'
import type { PictureDeps } from './picture-deps.ts'
import { isKept, namedLayer, sendPicture } from './picture-deps.ts'
import { earlierLayer, requestedVersion } from './version-tiles.ts'

const Params = Type.Object({
  layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
})
const side = { minimum: 32, maximum: 2048 }
const Query = Type.Object({
  width: Type.Optional(Type.Integer({ ...side, default: 300, description: 'In pixels' })),
  height: Type.Optional(Type.Integer({ ...side, default: 200, description: 'In pixels' })),
  style: Type.Optional(
    Type.String({ description: "A style of the layer's workspace or a global one; default the layer's" }),
  ),
  version: requestedVersion,
  ...urlToken,
})
/** Zoom at which the raster rules of a style apply: a thumbnail shows the whole layer. */
const shownZoom = 8

function thumbnail(format: PictureFormat) {
  return operation({
    tags: ['tiles'],
    isPublicRead: true,
    takesTokenInUrl: true,
    summary: `A small picture of a layer as ${format === 'png' ? 'PNG' : 'WebP'}`,
    description:
      'Drawn from the tiles of the layer with its style, without labels. For an empty layer, an empty frame.',
    params: Params,
    query: Query,
    answers: { 200: media('A picture', { [pictureMediaTypes[format]]: Bytes }) },
    handle: async (deps: PictureDeps, request, reply) => {
      const layer = await namedLayer(deps.catalog, request)
      if (request.query.version !== undefined) return sendEarlier(deps, request, reply, { layer, format })
      const { width = 300, height = 200 } = request.query
      const { style, key } = await styleFor(deps, request, layer, request.query.style)
      const known = await deps.catalog.layers.versionOf(layer)
      const mark = { at: { layer, ...known }, key, v: undefined }
      if (isKept(deps, reply, mark)) return reply.send()
      const query = {
        width,
        height,
        format,
        style,
        styleKey: key,
        symbols: rasterSymbols(style, shownZoom),
        range: await geographicRange(layer),
      }
      const made = await deps.limiter.run(reply, (signal) => deps.thumbnails.get(layer, known, query, signal))
      if (made === undefined) return reply.hijack()
      const at = { layer, version: made.version, isCurrent: made.isCurrent }
      return sendPicture(deps, reply, { ...mark, at }, { bytes: made.bytes, format })
    },
  })
}

type Request = FastifyRequest<{
  Params: { layer: string }
  Querystring: { width?: number; height?: number; style?: string; version?: string }
}>

/** Sends a thumbnail of a feature layer at an earlier version, which is not cached. */
async function sendEarlier(
  deps: Pick<PictureDeps, 'catalog' | 'thumbnails' | 'limiter' | 'earlier'>,
  request: Request,
  reply: FastifyReply,
  { layer, format }: { layer: LayerRecord; format: PictureFormat },
): Promise<unknown> {
  const { width = 300, height = 200, style: name = '', version = '' } = request.query
  const then = await earlierLayer(deps.earlier, request, reply, { layers: [layer], version })
  requireVectorTiles(then.layer)
  const { style } =
    name === ''
      ? await styleOfVersion(deps, then.layer, Number(version))
      : await styleFor(deps, request, then.layer, name)
  const query = { width, height, format, style, range: await geographicRange(then.layer) }
  const bytes = await deps.limiter.run(reply, (signal) =>
    deps.thumbnails.ofEarlier(
      then.layer,
      query,
      async (tile, attributes) => (await deps.earlier.tile(then, { tile, attributes }, signal)).bytes,
      signal,
    ),
  )
  if (bytes === undefined) return reply.hijack()
  keepPrivately(reply)
  return reply.header('content-type', pictureMediaTypes[format]).send(Buffer.from(bytes))
}

export const getPngThumbnail = thumbnail('png')
export const getWebpThumbnail = thumbnail('webp')
