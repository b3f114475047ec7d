import type { LayerRecord } from '../../../catalog/index.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { TileMatrixSetId } from '../../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet } from '../../../tiles/tile-matrix-sets.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { crs84Uri } from '../../crs-uris.ts'
import { layerSegment } from '../../tiles/named-layers.ts'
import { mvt } from '../../tiles/send-tile.ts'
import { toTileExtent } from '../../tiles/tile-bounds.ts'
import { tileAttributes } from '../../tiles/tile-query.ts'
import { collectionId, jsonTypeOf } from '../collection.ts'
import { crsOfSet, registeredUri, toSetEntry } from './tile-matrix-set-response.ts'
import { tilesetLimits } from './tileset-limits.ts'

const json = 'application/json'
const relations = 'http://www.opengis.net/def/rel/ogc/1.0'
const dimensions: Record<string, number> = {
  Point: 0,
  MultiPoint: 0,
  LineString: 1,
  MultiLineString: 1,
  Polygon: 2,
  MultiPolygon: 2,
}

export function tilesPath(layer: LayerRecord): string {
  return `/ogc/collections/${encodeURIComponent(collectionId(layer))}/tiles`
}

/** Returns the common members of a tileset's list entry and its description. */
export function toTilesetEntry(request: FastifyRequest, layer: LayerRecord, set: TileMatrixSetId) {
  return {
    title: `${layer.details.title} (${toSetEntry(set).title})`,
    dataType: 'vector',
    crs: crsOfSet(set),
    tileMatrixSetURI: registeredUri(set),
    links: [
      { rel: 'self', type: json, title: 'This tileset', href: request.link(`${tilesPath(layer)}/${set}`) },
      {
        rel: `${relations}/tiling-scheme`,
        type: json,
        title: 'Tile matrix set of the tileset',
        href: request.link(`/ogc/tileMatrixSets/${set}`),
      },
    ],
  }
}

/** Returns the URL template of tiles; `{tileRow}` precedes `{tileCol}`. */
export function tileTemplate(request: FastifyRequest, layer: LayerRecord, set: TileMatrixSetId): string {
  return `${request.link(`${tilesPath(layer)}/${set}`)}/{tileMatrix}/{tileRow}/{tileCol}`
}

function moreLinks(request: FastifyRequest, layer: LayerRecord, set: TileMatrixSetId) {
  const tileJson = {
    rel: 'alternate',
    type: json,
    title: 'TileJSON',
    href: request.link(`/tiles/${layerSegment(layer)}`),
  }
  return [
    { rel: 'item', type: mvt, title: 'Tiles', templated: true, href: tileTemplate(request, layer, set) },
    geodataLink(request, layer),
    { rel: `${relations}/conformance`, type: json, href: request.link('/ogc/conformance') },
    ...(set === 'WebMercatorQuad' ? [tileJson] : []),
  ]
}

function geodataLink(request: FastifyRequest, layer: LayerRecord) {
  const path = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  return { rel: `${relations}/geodata`, type: json, title: 'The collection', href: request.link(path) }
}

/**
 * Returns the extent in longitude and latitude, without parts beyond the antimeridian or the edge of the set.
 */
export function toExtent(set: TileMatrixSetId, range: Envelope) {
  const { bounds: [west = 0, south = 0, east = 0, north = 0] = [], center: [x = 0, y = 0, z = 0] = [] } =
    toTileExtent(range)
  const isMercator = set === 'WebMercatorQuad'
  return {
    boundingBox: {
      lowerLeft: [west, isMercator ? south : range.minY],
      upperRight: [east, isMercator ? north : range.maxY],
      crs: crs84Uri,
    },
    centerPoint: { coordinates: [x, y], crs: crs84Uri, tileMatrix: String(z) },
  }
}

/** Returns the description of a layer of tiles. */
export function toTilesetLayer(request: FastifyRequest, layer: LayerRecord, boundingBox: object | undefined) {
  const { title, schema } = layer.details
  const names = new Set(tileAttributes(layer))
  const properties = schema.attributes.flatMap(({ name, type }) =>
    names.has(name) ? [[name, jsonTypeOf(type)] as const] : [],
  )
  return {
    id: layer.name,
    title,
    dataType: 'vector',
    geometryDimension: ownValue(dimensions, schema.geometry?.type ?? ''),
    boundingBox,
    propertiesSchema: {
      type: 'object',
      properties: Object.fromEntries(properties) as Record<string, object>,
    },
    links: [geodataLink(request, layer)],
  }
}

/** The description of a tileset (OGC 17-083r4, section 8); `range` is undefined where it is not known for sure. */
export function toTileset(
  request: FastifyRequest,
  layer: LayerRecord,
  { set, version, range }: { set: TileMatrixSetId; version: number; range: Envelope | undefined },
) {
  const { abstract, attribution, licence, contact } = layer.details
  const entry = toTilesetEntry(request, layer, set)
  const extent = range === undefined ? undefined : toExtent(set, range)
  return {
    ...entry,
    description: abstract,
    attribution,
    license: licence,
    pointOfContact: contact,
    version: String(version),
    mediaTypes: [mvt],
    created: layer.createdAt,
    updated: layer.updatedAt,
    tileMatrixSetLimits: tilesetLimits(getTileMatrixSet(set), range),
    ...extent,
    layers: [toTilesetLayer(request, layer, extent?.boundingBox)],
    links: [...entry.links, ...moreLinks(request, layer, set)],
  }
}
