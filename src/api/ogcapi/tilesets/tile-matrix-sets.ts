import { notFound } from '../../../core/errors/errors.ts'
import type { TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import { operation } from '../../endpoint.ts'
import { offeredDocuments } from '../offered.ts'
import { represented } from '../representations.ts'
import { SetParams, TileMatrixSetList, TileMatrixSetReply } from './schemas.ts'
import { servedSets, toSetEntry, toTileMatrixSet } from './tile-matrix-set-response.ts'

const marks = { tags: ['tiles'], isPublicRead: true }
const json = 'application/json'

/** Returns the set with that identifier; throws `Failure` (`not-found`) if it is not supported. */
export function getServedSet(id: string): TileMatrixSetId {
  const found = servedSets.find((one) => one === id)
  if (found !== undefined) return found
  throw notFound(
    'unknown-tile-matrix-set',
    `Tile matrix set "${id}" is not available: use ${servedSets.join(' or ')}`,
  )
}

export const getTileMatrixSetsList = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Tile matrix sets that tiles are cut by',
    description: 'Ids, titles and URIs of the tile matrix sets of the layers.',
    answers: { 200: TileMatrixSetList },
    handle: (_: unknown, request) => ({
      tileMatrixSets: servedSets.map((id) => ({
        ...toSetEntry(id),
        links: [{ rel: 'self', type: json, href: request.link(`/ogc/tileMatrixSets/${id}`) }],
      })),
    }),
  }),
)

export const getTileMatrixSet = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Show one tile matrix set',
    description:
      'Definition as registered by OGC. The description of a tileset lists the tiles that a layer has.',
    params: SetParams,
    answers: { 200: TileMatrixSetReply },
    handle: (_: unknown, request) => toTileMatrixSet(getServedSet(request.params.tileMatrixSetId)),
  }),
)
