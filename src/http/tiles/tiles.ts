import { Type } from 'typebox'
import { notFound } from '../../lib/errors.ts'
import { getTileMatrixSet, isTileOf } from '../../tiles/tile-matrix-sets.ts'
import { keepPrivately } from '../caching.ts'
import { Bytes, empty, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { abortOnClose } from '../ogc/items.ts'
import { namedLayer } from './named-layer.ts'
import type { TileParts } from './tile-parts.ts'

const mvt = 'application/vnd.mapbox-vector-tile'
const Params = Type.Object({
  layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
  z: Type.String(),
  x: Type.String(),
  y: Type.String({ description: 'Row from the north' }),
})

export const getTile = operation({
  tags: ['tiles'],
  isPublicRead: true,
  summary: 'A vector tile of a layer',
  params: Params,
  answers: { 200: media('A Mapbox Vector Tile', { [mvt]: Bytes }), 204: empty('Nothing is there') },
  handle: async (parts: TileParts, request, reply) => {
    const { layer: id, z, x, y } = request.params
    const layer = await namedLayer(parts, request, id)
    const tile = { z: Number(z), x: Number(x), y: Number(y) }
    if (!isTileOf(getTileMatrixSet('WebMercatorQuad'), tile))
      throw notFound('unknown-tile', `There is no tile ${z}/${x}/${y}`)
    const made = await parts.maps.tile(layer, { set: 'WebMercatorQuad', tile }, abortOnClose(request, reply))
    keepPrivately(reply)
    if (made.bytes.length === 0) return reply.code(204).send()
    return reply.header('content-type', mvt).header('content-encoding', 'gzip').send(Buffer.from(made.bytes))
  },
})
