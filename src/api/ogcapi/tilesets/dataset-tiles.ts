import type { LayerRecord } from '../../../catalog/index.ts'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { getTileMatrixSet, type TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { Bytes, empty, media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { maxTileLayers, requireDifferentNames } from '../../tiles/named-layers.ts'
import { mvt, parseTile, sendTile, unknownTile } from '../../tiles/send-tile.ts'
import { readableCollection, readableLayers } from '../about-layer.ts'
import { collectionId } from '../collection.ts'
import { offeredDocuments } from '../offered.ts'
import type { OgcDeps } from '../ogc-deps.ts'
import { represented } from '../representations.ts'
import { rangeOf } from './collection-tiles.ts'
import {
  DatasetQuery,
  DatasetTileParams,
  DocumentedDatasetTileParams,
  SetParams,
  TilesetList,
  TilesetReply,
} from './schemas.ts'
import { crsOfSet, registeredUri, servedSets, toSetEntry } from './tile-matrix-set-response.ts'
import { getServedSet } from './tile-matrix-sets.ts'
import { isWithinLimits, tilesetLimits } from './tileset-limits.ts'
import { toExtent, toTilesetLayer } from './tileset-response.ts'

type DatasetDeps = Pick<OgcDeps, 'catalog' | 'tiles'>

const json = 'application/json'
const relations = 'http://www.opengis.net/def/rel/ogc/1.0'
const marks = { tags: ['tiles'], isPublicRead: true }

/**
 * Returns the layers of a tile: those of the parameter `collections` (OGC 20-057, section 10), otherwise all layers of features
 * with tiles that the caller may read. Throws `Failure` (`too-many-layers`, `equal-layers`) for layers that do not fit in one
 * tile.
 */
async function requestedLayers(deps: DatasetDeps, request: FastifyRequest): Promise<LayerRecord[]> {
  const { catalog, tiles } = deps
  const { collections } = request.query as { collections?: string }
  const layers =
    collections === undefined ? await allLayers(deps, request) : await named(catalog, request, collections)
  if (collections !== undefined) for (const layer of layers) await tiles.maps.requireTiles(layer)
  requireDifferentNames(layers)
  request.usedLayers = layers
  return layers
}

/** Returns the readable layers that have tiles. */
async function allLayers({ catalog, tiles }: DatasetDeps, request: FastifyRequest): Promise<LayerRecord[]> {
  const readable = (await readableLayers(catalog, request)).filter(
    ({ details: { kind, schema } }) => kind === 'vector' && schema.geometry !== undefined,
  )
  if (readable.length > maxTileLayers)
    throw invalid(
      'too-many-layers',
      `A tile has at most ${maxTileLayers} layers, and there are ${readable.length}: choose some with collections=<id>,<id>`,
    )
  const hasTiles = (layer: LayerRecord): Promise<boolean> =>
    tiles.maps.requireTiles(layer).then(
      () => true,
      (error: unknown) => {
        // A store that does not respond now is reported, not left out.
        if (error instanceof Failure && error.kind !== 'unavailable') return false
        throw error
      },
    )
  const isShown = await Promise.all(readable.map(hasTiles))
  return readable.filter((_, index) => isShown[index])
}

async function named(
  catalog: DatasetDeps['catalog'],
  request: FastifyRequest,
  text: string,
): Promise<LayerRecord[]> {
  const ids = [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== '')
  if (ids.length === 0)
    throw invalid('invalid-parameter', 'collections names no collection: expected ids separated by commas')
  if (ids.length > maxTileLayers)
    throw invalid('too-many-layers', `A tile has at most ${maxTileLayers} layers, found ${ids.length}`)
  const layers: LayerRecord[] = []
  for (const id of ids) layers.push(await readableCollection(catalog, request, id))
  return layers
}

/** Returns the selection of the request, to be appended to addresses. */
function selectionOf(request: FastifyRequest): string {
  const { collections } = request.query as { collections?: string }
  return collections === undefined ? '' : `?${new URLSearchParams({ collections })}`
}

function toEntry(request: FastifyRequest, set: TileMatrixSetId) {
  return {
    title: toSetEntry(set).title,
    dataType: 'vector',
    crs: crsOfSet(set),
    tileMatrixSetURI: registeredUri(set),
    links: [
      {
        rel: 'self',
        type: json,
        title: 'This tileset',
        href: request.link(`/ogc/tiles/${set}${selectionOf(request)}`),
      },
      {
        rel: `${relations}/tiling-scheme`,
        type: json,
        title: 'Tile matrix set of the tileset',
        href: request.link(`/ogc/tileMatrixSets/${set}`),
      },
    ],
  }
}

/** Returns the extent of layers together; undefined if one is unknown. */
async function rangeOfAll(layers: readonly LayerRecord[]): Promise<Envelope | undefined> {
  const ranges = await Promise.all(layers.map((layer) => rangeOf(layer, layer.version)))
  const known = ranges.filter((one) => one !== undefined)
  if (known.length < ranges.length || known.length === 0) return undefined
  return {
    minX: Math.min(...known.map(({ minX }) => minX)),
    minY: Math.min(...known.map(({ minY }) => minY)),
    maxX: Math.max(...known.map(({ maxX }) => maxX)),
    maxY: Math.max(...known.map(({ maxY }) => maxY)),
  }
}

export const getDatasetTilesets = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'List the tilesets of several layers, one for each tile matrix set',
    description: 'Vector tiles with a layer for each collection of `collections`.',
    query: DatasetQuery,
    answers: { 200: TilesetList },
    handle: (_: unknown, request) => ({
      links: [{ rel: 'self', type: json, href: request.link(`/ogc/tiles${selectionOf(request)}`) }],
      tilesets: servedSets.map((set) => toEntry(request, set)),
    }),
  }),
)

export const getDatasetTileset = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Show one tileset of several layers',
    description: 'Limits, layers and the template of the addresses of tiles in one tile matrix set.',
    params: SetParams,
    query: DatasetQuery,
    answers: { 200: TilesetReply },
    handle: async (deps: DatasetDeps, request) => {
      const set = getServedSet(request.params.tileMatrixSetId)
      const layers = await requestedLayers(deps, request)
      return toDatasetTileset(request, layers, set)
    },
  }),
)

async function toDatasetTileset(
  request: FastifyRequest,
  layers: readonly LayerRecord[],
  set: TileMatrixSetId,
) {
  const range = await rangeOfAll(layers)
  const ids = layers.map(collectionId)
  const selection = new URLSearchParams({ collections: ids.join() })
  const template = `${request.link(`/ogc/tiles/${set}`)}/{tileMatrix}/{tileRow}/{tileCol}?${selection}`
  const times = (name: 'createdAt' | 'updatedAt'): string[] => layers.map((layer) => layer[name]).sort()
  const entry = toEntry(request, set)
  return {
    ...entry,
    version: layers.map(({ version }) => version).join('.'),
    mediaTypes: [mvt],
    created: times('createdAt')[0] ?? new Date(0).toISOString(),
    updated: times('updatedAt').at(-1) ?? new Date(0).toISOString(),
    tileMatrixSetLimits: tilesetLimits(getTileMatrixSet(set), range),
    ...(range === undefined ? {} : toExtent(set, range)),
    layers: layers.map((layer) => toTilesetLayer(request, layer, undefined)),
    links: [
      ...entry.links,
      { rel: 'item', type: mvt, title: 'Tiles', templated: true, href: template },
      { rel: `${relations}/conformance`, type: json, href: request.link('/ogc/conformance') },
    ],
  }
}

export const getDatasetTile = operation({
  ...marks,
  isTile: true,
  summary: 'A vector tile with several layers',
  description:
    'Each collection is a layer with the name of its layer. Outside the limits of the tileset, the response is 404; an empty tile inside is 204.',
  params: DatasetTileParams,
  query: DatasetQuery,
  reported: { params: DocumentedDatasetTileParams },
  answers: { 200: media('A Mapbox Vector Tile', { [mvt]: Bytes }), 204: empty('Nothing is there') },
  handle: async (deps: DatasetDeps, request, reply) => {
    const { tileMatrixSetId, tileMatrix: z, tileRow: y, tileCol: x } = request.params
    const set = getServedSet(tileMatrixSetId)
    const tile = parseTile(set, { z, x, y })
    const layers = await requestedLayers(deps, request)
    const whenEmpty = async (): Promise<void> => {
      const range = await rangeOfAll(layers)
      if (!isWithinLimits(tilesetLimits(getTileMatrixSet(set), range), tile))
        throw unknownTile(set, { z, x, y })
    }
    return sendTile(deps.tiles, reply, layers, { set, tile }, { whenEmpty })
  },
})
