import { Type } from 'typebox'
import { getTileMatrixSet } from '../../../tiles/tile-matrix-sets.ts'
import { Bytes, empty, media } from '../../description.ts'
import { endpoint, operation } from '../../endpoint.ts'
import { parseTile } from '../../tiles/send-tile.ts'
import { urlToken } from '../../url-token.ts'
import type { OwsDeps, ServiceTileDeps } from '../ows-deps.ts'
import { requireTileLayers, sendNamedTile } from '../wmts/send-named-tile.ts'
import { describeService, describeTileMap, listTileMaps } from './documents.ts'
import { orTmsError } from './exceptions.ts'
import { readTileMap } from './tile-maps.ts'

const Query = Type.Object({ ...urlToken }, { additionalProperties: true })
const TileMapParams = Type.Object({
  layer: Type.String({
    description: 'Workspace and layer, with grid and format behind it: `city:trees@EPSG:900913@png`',
  }),
})
const TileParams = Type.Object({
  layer: TileMapParams.properties.layer,
  z: Type.String(),
  x: Type.String({ description: 'Column from the west' }),
  y: Type.String({ description: 'Row from the south, with `.png`, `.jpeg` or `.pbf` behind it' }),
})
const marks = {
  knowsParameters: true,
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  query: Query,
  answers: { 200: media('The document', { 'text/xml': Type.String() }) },
}

const getTms = operation({
  ...marks,
  summary: 'Versions of the Tile Map Service',
  description: 'The document in which clients of TMS find the versions of the service.',
  handle: (_: unknown, request, reply) => describeService(request, reply),
})
const getTileMaps = operation({
  ...marks,
  summary: 'Tile Map Service 1.0.0: the layers',
  description: 'A `TileMapService` document with each layer in each grid that it has.',
  handle: ({ catalog, about }: Pick<OwsDeps, 'catalog' | 'about'>, request, reply) =>
    orTmsError(reply, () => listTileMaps(catalog, about, request, reply)),
})
const getTileMap = operation({
  ...marks,
  summary: 'Tile Map Service 1.0.0: a layer in a grid',
  params: TileMapParams,
  description:
    'Bounds, origin, format and resolutions of a layer in a grid; the name is `workspace:layer@grid@format`.',
  handle: ({ catalog }: Pick<OwsDeps, 'catalog'>, request, reply) =>
    orTmsError(reply, async () => {
      const map = readTileMap(request.params.layer)
      const named = await requireTileLayers(catalog, { request, workspace: undefined }, map.layer)
      return describeTileMap(request, reply, named, map)
    }),
})

const getTmsTile = operation({
  ...marks,
  isTile: true,
  summary: 'Tile Map Service 1.0.0: a tile',
  params: TileParams,
  description: 'An image or a vector tile. Rows are counted from the south, as in TMS.',
  answers: {
    200: media('A picture, or a Mapbox Vector Tile', {
      'image/png': Bytes,
      'image/jpeg': Bytes,
      'application/vnd.mapbox-vector-tile': Bytes,
    }),
    204: empty('No features are in the vector tile'),
  },
  handle: (deps: ServiceTileDeps, request, reply) =>
    orTmsError(reply, async () => {
      const { layer: name, z, x, y: file } = request.params
      const [row = '', ending] = file.split('.', 2)
      const { set, format, layer: layerName } = readTileMap(name, ending)
      const named = await requireTileLayers(deps.catalog, { request, workspace: undefined }, layerName)
      const southern = parseTile(set, { z, x, y: row })
      const tile = { ...southern, y: getTileMatrixSet(set).rows * 2 ** southern.z - 1 - southern.y }
      const requested = { requested: named, set, tile, style: undefined, time: undefined, format }
      return sendNamedTile(deps, request, reply, requested)
    }),
})

/** TMS, where clients of GeoWebCache have it. */
export const tmsEndpoints = [
  endpoint('GET', '/gwc/service/tms', 'public', 'OWS:TMS', { getTms }),
  endpoint('GET', '/gwc/service/tms/1.0.0', 'public', 'OWS:TMS', { getTileMaps }),
  endpoint('GET', '/gwc/service/tms/1.0.0/:layer', 'public', 'OWS:TMS', { getTileMap }),
  endpoint('GET', '/gwc/service/tms/1.0.0/:layer/:z/:x/:y', 'public', 'OWS:TMS', { getTmsTile }),
]
