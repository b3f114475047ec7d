import type { FastifyRequest } from '../app-types.ts'
import { editParameters, editPaths } from './api-edits.ts'
import { crs84Uri } from './crs-uris.ts'
import { defaultLimit, maxLimit } from './items-query.ts'

/** Media type of the description (OGC 17-069r4, table 3); clients look for it to the letter. */
export const apiMediaType = 'application/vnd.oai.openapi+json;version=3.0'

const query = { in: 'query', required: false }
const text = { type: 'string' }
const uri = { type: 'string', format: 'uri' }
const list = { style: 'form', explode: false }

/** What clients find under these names: QGIS takes the size of its pages from `limit`. */
const parameters = {
  ...editParameters,
  collectionId: {
    ...{ name: 'collectionId', in: 'path', required: true, schema: text },
    description: 'Workspace and layer, such as `city:trees`',
  },
  featureId: { name: 'featureId', in: 'path', required: true, schema: text, description: 'Id of a feature' },
  fileName: { name: 'fileName', in: 'path', required: true, schema: text, description: 'Name of a file' },
  limit: {
    ...{ name: 'limit', ...query, ...list },
    description: 'Features a page',
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  // No style and no list: clients would take it for an attribute to filter by.
  offset: {
    ...{ name: 'offset', ...query },
    description: 'Features to skip',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  bbox: {
    ...{ name: 'bbox', ...query, ...list },
    description: 'Four or six numbers; across the antimeridian the first is the larger',
    schema: { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } },
  },
  'bbox-crs': {
    ...{ name: 'bbox-crs', ...query, ...list },
    description: 'CRS of bbox',
    schema: { ...uri, default: crs84Uri },
  },
  datetime: {
    ...{ name: 'datetime', ...query, ...list },
    description: 'A date, a time, or an interval with `/` and `..` for open',
    schema: text,
  },
  filter: {
    ...{ name: 'filter', ...query },
    description: 'What the features have to be like, in CQL2',
    schema: text,
  },
  'filter-lang': {
    ...{ name: 'filter-lang', ...query },
    description: 'How the filter is written',
    schema: { type: 'string', enum: ['cql2-text', 'cql2-json'], default: 'cql2-text' },
  },
  'filter-crs': {
    ...{ name: 'filter-crs', ...query },
    description: 'CRS of geometries in the filter',
    schema: { ...uri, default: crs84Uri },
  },
  tileMatrixSetId: {
    ...{ name: 'tileMatrixSetId', in: 'path', required: true, description: 'Id of a tile matrix set' },
    schema: { type: 'string', enum: ['WebMercatorQuad', 'WorldCRS84Quad'] },
  },
  tileMatrix: {
    ...{ name: 'tileMatrix', in: 'path', required: true, schema: text },
    description: 'Id of a tile matrix of the set, which is its zoom: `0` to `22`',
  },
  tileRow: {
    ...{ name: 'tileRow', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } },
    description: 'Row of the tile, from the north',
  },
  tileCol: {
    ...{ name: 'tileCol', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } },
    description: 'Column of the tile, from the west',
  },
  sentFor: {
    ...{ name: 'type', ...query },
    description: 'For what a feature is sent, whose schema is asked for',
    schema: { type: 'string', enum: ['create', 'replace', 'update'] },
  },
  crs: {
    ...{ name: 'crs', ...query, ...list },
    description: 'CRS of the answer, one that the collection lists',
    schema: { ...uri, default: crs84Uri },
  },
}

type ParameterName = keyof typeof parameters

const link = {
  type: 'object',
  required: ['href'],
  properties: {
    ...{ href: text, rel: text, type: text, title: text, length: { type: 'integer' } },
    templated: { type: 'boolean' },
  },
}
const links = { type: 'array', items: { $ref: '#/components/schemas/link' } }
const feature = {
  type: 'object',
  required: ['type', 'geometry', 'properties'],
  properties: {
    type: { type: 'string', enum: ['Feature'] },
    id: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    geometry: { type: 'object', nullable: true },
    properties: { type: 'object', nullable: true },
    links,
  },
}
const schemas = {
  link,
  landingPage: {
    type: 'object',
    required: ['links'],
    properties: { title: text, description: text, links },
  },
  confClasses: {
    type: 'object',
    required: ['conformsTo'],
    properties: { conformsTo: { type: 'array', items: text } },
  },
  collection: {
    type: 'object',
    required: ['id', 'links'],
    properties: {
      ...{ id: text, title: text, description: text, itemType: text, extent: { type: 'object' }, links },
      crs: { type: 'array', items: text },
      storageCrs: text,
    },
  },
  collections: {
    type: 'object',
    required: ['links', 'collections'],
    properties: {
      ...{ links, description: text, crs: { type: 'array', items: text } },
      collections: { type: 'array', items: { $ref: '#/components/schemas/collection' } },
    },
  },
  featureGeoJSON: feature,
  featureCollectionGeoJSON: {
    type: 'object',
    required: ['type', 'features'],
    properties: {
      type: { type: 'string', enum: ['FeatureCollection'] },
      features: { type: 'array', items: { $ref: '#/components/schemas/featureGeoJSON' } },
      links,
      timeStamp: { type: 'string', format: 'date-time' },
      numberMatched: { type: 'integer', minimum: 0 },
      numberReturned: { type: 'integer', minimum: 0 },
    },
  },
  tileMatrixSets: {
    type: 'object',
    required: ['tileMatrixSets'],
    properties: {
      tileMatrixSets: {
        type: 'array',
        items: { type: 'object', properties: { id: text, title: text, uri, crs: text, links } },
      },
    },
  },
  tileMatrixSet: {
    type: 'object',
    required: ['id', 'crs', 'tileMatrices'],
    properties: {
      ...{ id: text, title: text, uri, crs: text, orderedAxes: { type: 'array', items: text } },
      wellKnownScaleSet: uri,
      tileMatrices: { type: 'array', items: { type: 'object' } },
    },
  },
  tileSets: {
    type: 'object',
    required: ['tilesets'],
    properties: { links, tilesets: { type: 'array', items: { $ref: '#/components/schemas/tileSet' } } },
  },
  tileSet: {
    type: 'object',
    required: ['dataType', 'crs', 'links'],
    properties: {
      ...{ title: text, description: text, dataType: text, crs: text, tileMatrixSetURI: uri, links },
      ...{ version: text, attribution: text, license: text, pointOfContact: text },
      mediaTypes: { type: 'array', items: text },
      tileMatrixSetLimits: { type: 'array', items: { type: 'object' } },
      ...{ boundingBox: { type: 'object' }, centerPoint: { type: 'object' } },
      layers: { type: 'array', items: { type: 'object' } },
    },
  },
  exception: {
    type: 'object',
    required: ['code'],
    properties: {
      ...{ type: text, title: text, status: { type: 'integer' }, detail: text, code: text },
      errors: { type: 'array', items: text },
    },
  },
}

const json = 'application/json'
const geoJson = 'application/geo+json'

interface Operation {
  id: string
  summary: string
  answer: object
  parameters?: ParameterName[]
  /** Whether there may be nothing to answer with. */
  mayBeEmpty?: boolean
}

function answerOf(mediaType: string, schema: keyof typeof schemas): object {
  return { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` } } }
}

const collectionPath = '/collections/{collectionId}'
const page: ParameterName[] = [
  ...(['collectionId', 'limit', 'offset', 'bbox', 'bbox-crs', 'datetime', 'crs'] as const),
  ...(['filter', 'filter-lang', 'filter-crs'] as const),
]
const file = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

const operations: Record<string, Operation> = {
  '/': { id: 'getLandingPage', summary: 'Landing page', answer: answerOf(json, 'landingPage') },
  '/conformance': {
    ...{ id: 'getConformance', summary: 'Conformance classes', answer: answerOf(json, 'confClasses') },
  },
  '/api': {
    ...{ id: 'getApi', summary: 'This document', answer: { [apiMediaType]: { schema: { type: 'object' } } } },
  },
  '/collections': {
    ...{ id: 'getCollections', summary: 'Published layers', answer: answerOf(json, 'collections') },
  },
  [collectionPath]: {
    ...{ id: 'describeCollection', summary: 'One layer', answer: answerOf(json, 'collection') },
    parameters: ['collectionId'],
  },
  [`${collectionPath}/schema`]: {
    ...{ id: 'getSchema', summary: 'Attributes of a layer' },
    answer: { 'application/schema+json': { schema: { type: 'object' } } },
    parameters: ['collectionId', 'sentFor'],
  },
  [`${collectionPath}/queryables`]: {
    ...{ id: 'getQueryables', summary: 'What features of a layer can be filtered by' },
    answer: { 'application/schema+json': { schema: { type: 'object' } } },
    parameters: ['collectionId'],
  },
  [`${collectionPath}/items`]: {
    ...{ id: 'getFeatures', summary: 'Features of a layer' },
    answer: answerOf(geoJson, 'featureCollectionGeoJSON'),
    parameters: page,
  },
  [`${collectionPath}/items/{featureId}`]: {
    ...{ id: 'getFeature', summary: 'One feature', answer: answerOf(geoJson, 'featureGeoJSON') },
    parameters: ['collectionId', 'featureId', 'crs'],
  },
  [`${collectionPath}/granules`]: {
    ...{ id: 'getGranules', summary: 'Granules of a mosaic' },
    answer: answerOf(geoJson, 'featureCollectionGeoJSON'),
    parameters: page,
  },
  [`${collectionPath}/granules/{featureId}`]: {
    ...{ id: 'getGranule', summary: 'One granule', answer: answerOf(geoJson, 'featureGeoJSON') },
    parameters: ['collectionId', 'featureId', 'crs'],
  },
  [`${collectionPath}/granules/{featureId}/file/{fileName}`]: {
    ...{ id: 'getGranuleFile', summary: "A granule's file, or a range of it", answer: file },
    parameters: ['collectionId', 'featureId', 'fileName'],
  },
  [`${collectionPath}/file/{fileName}`]: {
    ...{ id: 'getCoverageFile', summary: 'The file of a coverage, or a range of it', answer: file },
    parameters: ['collectionId', 'fileName'],
  },
}

const tilesetPath = `${collectionPath}/tiles/{tileMatrixSetId}`

/** Suffixes of ids tell clients what is what (OGC 20-057, section 14.2). */
const tileOperations: Record<string, Operation> = {
  '/tileMatrixSets': {
    ...{ id: 'getTileMatrixSetsList', summary: 'Tile matrix sets that tiles are cut by' },
    answer: answerOf(json, 'tileMatrixSets'),
  },
  '/tileMatrixSets/{tileMatrixSetId}': {
    ...{ id: 'getTileMatrixSet', summary: 'One tile matrix set', answer: answerOf(json, 'tileMatrixSet') },
    parameters: ['tileMatrixSetId'],
  },
  [`${collectionPath}/tiles`]: {
    ...{ id: 'terrane.collection.vector.getTileSetsList', summary: 'Tilesets of a layer' },
    answer: answerOf(json, 'tileSets'),
    parameters: ['collectionId'],
  },
  [tilesetPath]: {
    ...{ id: 'terrane.collection.vector.getTileSet', summary: 'One tileset of a layer' },
    answer: answerOf(json, 'tileSet'),
    parameters: ['collectionId', 'tileMatrixSetId'],
  },
  [`${tilesetPath}/{tileMatrix}/{tileRow}/{tileCol}`]: {
    ...{ id: 'terrane.collection.vector.getTile', summary: 'A vector tile of a layer', mayBeEmpty: true },
    answer: { 'application/vnd.mapbox-vector-tile': { schema: { type: 'string', format: 'binary' } } },
    parameters: ['collectionId', 'tileMatrixSetId', 'tileMatrix', 'tileRow', 'tileCol'],
  },
}

const failure = {
  description: 'What is wrong (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
}

function toOperation(
  { id, summary, answer, mayBeEmpty = false, parameters: names = [] }: Operation,
  tag: 'features' | 'tiles',
): object {
  return {
    operationId: id,
    summary,
    tags: [tag],
    parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: {
      200: { description: summary, content: answer },
      ...(mayBeEmpty ? { 204: { description: 'Nothing is there' } } : {}),
      ...{ 400: failure, 401: failure, 404: failure, 500: failure },
    },
  }
}

function pathsOf(described: Record<string, Operation>, tag: 'features' | 'tiles'): object {
  return Object.fromEntries(
    Object.entries(described).map(([path, one]) => [
      path,
      { get: toOperation(one, tag), ...editPaths[path] },
    ]),
  )
}

/** The interface below `/ogc` as OpenAPI 3.0, which is what clients of OGC API read. */
export function describeOgcApi(request: FastifyRequest, version: string): object {
  const paths = { ...pathsOf(operations, 'features'), ...pathsOf(tileOperations, 'tiles') }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Terrane: OGC API Features and Tiles',
      version,
      description:
        'Layers of this server. The whole interface of the server is described at `/openapi.json`.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: request.link('/ogc') }],
    tags: [
      { name: 'features', description: 'Published layers' },
      { name: 'tiles', description: 'Published layers as vector tiles' },
    ],
    security: [{}, { basic: [] }, { token: [] }],
    paths,
    components: {
      parameters,
      schemas,
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
