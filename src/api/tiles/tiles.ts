import { Type } from 'typebox'
import { Bytes, empty, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { urlToken } from '../url-token.ts'
import { maxTileLayers, namedLayers } from './named-layers.ts'
import type { TileDeps } from './send-tile.ts'
import { mvt, parseTile, sendTile } from './send-tile.ts'
import { filterOf, tileFilter } from './tile-query.ts'
import { requestedVersion, sendTileOfVersion } from './version-tiles.ts'

const Params = Type.Object({
  layer: Type.String({
    description: `Workspace and layer, such as \`city:trees\`; up to ${maxTileLayers} separated by commas, whose names differ; or a group of layers`,
  }),
  z: Type.String({ description: 'Zoom, 0 to 22' }),
  x: Type.String({ description: 'Column from the west' }),
  y: Type.String({ description: 'Row from the north' }),
})
const properties = Type.Optional(
  Type.String({
    description:
      'Attributes of the features, separated by commas; default all. Unknown ones are listed in `Terrane-Ignored`',
  }),
)
const v = Type.Optional(
  Type.String({ description: 'Version from TileJSON; responses to other versions are not cached' }),
)

export const getTile = operation({
  tags: ['tiles'],
  isPublicRead: true,
  takesTokenInUrl: true,
  isTile: true,
  // Tiles without a filter come from a cache, or are made once for all clients.
  isHeavy: ({ query }) => (query as { filter?: string }).filter !== undefined,
  summary: 'A vector tile of one layer or several',
  description:
    'Tile of WebMercatorQuad. The header `Terrane-Tile` counts features: `read`, `drawn`, omitted because they are smaller than a pixel (`thinned`), outside the CRS of the tile (`without-image`), and omitted to limit the size of the tile (`over-limit`). For a layer without tiles, the response is 404 with the code `no-tiles`.',
  params: Params,
  query: Type.Object({ properties, v, version: requestedVersion, ...tileFilter, ...urlToken }),
  answers: { 200: media('A Mapbox Vector Tile', { [mvt]: Bytes }), 204: empty('Nothing is there') },
  handle: async (deps: TileDeps, request, reply) => {
    const layers = await namedLayers(deps.catalog, request, { kind: 'vector' })
    const tile = parseTile('WebMercatorQuad', request.params)
    const filter = filterOf(request.query, layers)
    if (request.query.version !== undefined)
      return sendTileOfVersion(deps, reply, { layers, tile, version: request.query.version })
    return sendTile(deps, reply, layers, { set: 'WebMercatorQuad', tile, filter }, { v: request.query.v })
  },
})
