import type { LayerRecord } from '../../../catalog/index.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { getTileMatrixSet } from '../../../tiles/tile-matrix-sets.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes, empty, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { geographicRange } from '../../geographic-range.ts'
import { mvt, parseTile, sendTile, unknownTile } from '../../tiles/send-tile.ts'
import { isChangedByOthers } from '../../tiles/tile-bounds.ts'
import { aboutLayer, readableLayer } from '../about-layer.ts'
import { offeredDocuments } from '../offered.ts'
import type { OgcDeps } from '../ogc-deps.ts'
import { represented } from '../representations.ts'
import { CollectionParams } from '../schemas.ts'
import { DocumentedTileParams, TileParams, TilesetList, TilesetParams, TilesetReply } from './schemas.ts'
import { servedSets } from './tile-matrix-set-response.ts'
import { getServedSet } from './tile-matrix-sets.ts'
import { isWithinLimits, tilesetLimits } from './tileset-limits.ts'
import { tilesPath, tileTemplate, toTileset, toTilesetEntry } from './tileset-response.ts'

type CollectionTilesDeps = Pick<OgcDeps, 'catalog' | 'version' | 'sharedMaxAgeSeconds' | 'tiles'>

const marks = { tags: ['tiles'], isPublicRead: true }

/** Responds about a layer that has tiles; sends nothing if the client has the response already. */
function aboutTiles(
  deps: CollectionTilesDeps,
  request: FastifyRequest<{ Params: { collectionId: string } }>,
  reply: FastifyReply,
  answer: (layer: LayerRecord) => unknown,
): Promise<unknown> {
  return aboutLayer(deps, request, reply, async (layer) => {
    await deps.tiles.maps.requireTiles(layer)
    return answer(layer)
  })
}

/** Returns the extent of a layer; undefined also if the data may have changed since it was computed. */
export async function rangeOf(layer: LayerRecord, version: number): Promise<Envelope | undefined> {
  return isChangedByOthers(layer, version) ? undefined : geographicRange(layer)
}

export const getCollectionTilesets = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'List the tilesets of a layer, one for each tile matrix set',
    description: 'The tilesets of vector tiles and of pictures that the layer has, with links to each.',
    params: CollectionParams,
    answers: { 200: TilesetList },
    handle: (deps: CollectionTilesDeps, request, reply) =>
      aboutTiles(deps, request, reply, (layer) => ({
        links: [{ rel: 'self', type: 'application/json', href: request.link(tilesPath(layer)) }],
        tilesets: servedSets.map((set) => toTilesetEntry(request, layer, set)),
      })),
  }),
)

export const getCollectionTileset = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Show one tileset of a layer',
    description:
      'Limits, bounds and the template of the addresses of tiles of a layer in one tile matrix set.',
    params: TilesetParams,
    answers: { 200: TilesetReply },
    handle: (deps: CollectionTilesDeps, request, reply) =>
      aboutTiles(deps, request, reply, async (layer) => {
        const set = getServedSet(request.params.tileMatrixSetId)
        const { version } = await deps.catalog.layers.versionOf(layer)
        const range = await rangeOf(layer, version)
        reply.header('link-template', `<${tileTemplate(request, layer, set)}>; rel="item"; type="${mvt}"`)
        return toTileset(request, layer, { set, version, range })
      }),
  }),
)

export const getCollectionTile = operation({
  ...marks,
  isTile: true,
  summary: 'A vector tile of a layer',
  description:
    'The path has the row before the column. Outside the limits of the tileset, the response is 404; an empty tile inside is 204. The header `Terrane-Tile` is that of `/tiles`.',
  params: TileParams,
  reported: { params: DocumentedTileParams },
  answers: { 200: media('A Mapbox Vector Tile', { [mvt]: Bytes }), 204: empty('Nothing is there') },
  handle: async ({ catalog, tiles }: Pick<OgcDeps, 'catalog' | 'tiles'>, request, reply) => {
    const layer = await readableLayer(catalog, request)
    const { tileMatrixSetId, tileMatrix: z, tileRow: y, tileCol: x } = request.params
    const set = getServedSet(tileMatrixSetId)
    const tile = parseTile(set, { z, x, y })
    const whenEmpty = async (): Promise<void> => {
      const range = await rangeOf(layer, layer.version)
      if (!isWithinLimits(tilesetLimits(getTileMatrixSet(set), range), tile))
        throw unknownTile(set, { z, x, y })
    }
    return sendTile(tiles, reply, [layer], { set, tile }, { whenEmpty })
  },
})
