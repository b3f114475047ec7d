import type { LayerRecord } from '../../catalog/index.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { FastifyRequest } from '../app-types.ts'

import type { ItemsDescription } from './api-collections.ts'
import { ownItemsPaths } from './api-collections.ts'
import { editPaths } from './api-edits.ts'
import { mapPaths } from './api-maps.ts'
import { type ParameterName, parameters, query } from './api-parameters.ts'
import { schemas } from './api-schemas.ts'
import { stylePaths } from './api-styles.ts'
import {
  offeredCoverages,
  offeredDescriptions,
  offeredDocuments,
  offeredGranules,
  offeredItems,
  offeredQueryables,
  offeredSchemas,
} from './offered.ts'
import type { Representation } from './representations.ts'

/** Media type of the description (OGC 17-069r4, table 3); clients look for it to the letter. */
export const apiMediaType = 'application/vnd.oai.openapi+json;version=3.0'

const json = 'application/json'
const geoJson = 'application/geo+json'

interface Operation {
  id: string
  summary: string
  answer: object
  parameters?: ParameterName[]
  /** Representations of the response; the first is the default. */
  offered?: readonly Representation[]
  /** True if the response may be empty. */
  mayBeEmpty?: boolean
  /** True if no page is offered, so that the language does not matter. */
  isFile?: boolean
}

function answerOf(mediaType: string, schema: keyof typeof schemas): object {
  return { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` } } }
}

const collectionPath = '/collections/{collectionId}'
const page: ParameterName[] = [
  'collectionId',
  'limit',
  'offset',
  'bbox',
  'bbox-crs',
  'datetime',
  'crs',
  'filter',
  'filter-lang',
  'filter-crs',
  'sortby',
  'properties',
  'exclude-properties',
  'position',
]
const file = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

const operations: Record<string, Operation> = {
  '/': {
    offered: offeredDocuments,
    id: 'getLandingPage',
    summary: 'Landing page',
    answer: answerOf(json, 'landingPage'),
  },
  '/conformance': {
    offered: offeredDocuments,
    id: 'getConformance',
    summary: 'Conformance classes',
    answer: answerOf(json, 'confClasses'),
  },
  '/api': {
    offered: offeredDescriptions,
    id: 'getApi',
    summary: 'This document',
    answer: { [apiMediaType]: { schema: { type: 'object' } } },
  },
  '/functions': {
    offered: offeredDocuments,
    id: 'getFunctions',
    summary: 'Functions of filters',
    answer: answerOf(json, 'functions'),
  },
  '/collections': {
    offered: offeredDocuments,
    id: 'getCollections',
    summary: 'Published layers',
    answer: answerOf(json, 'collections'),
  },
  [collectionPath]: {
    offered: offeredDocuments,
    id: 'describeCollection',
    summary: 'Show one layer',
    answer: answerOf(json, 'collection'),
    parameters: ['collectionId'],
  },
  [`${collectionPath}/schema`]: {
    offered: offeredSchemas,
    id: 'getSchema',
    summary: 'Attributes of a layer',
    answer: { 'application/schema+json': { schema: { type: 'object' } } },
    parameters: ['collectionId', 'sentFor'],
  },
  [`${collectionPath}/queryables`]: {
    offered: offeredQueryables,
    id: 'getQueryables',
    summary: 'List the queryables of a layer',
    answer: { 'application/schema+json': { schema: { type: 'object' } } },
    parameters: ['collectionId'],
  },
  [`${collectionPath}/sortables`]: {
    offered: offeredQueryables,
    id: 'getSortables',
    summary: 'List the sortables of a layer',
    answer: { 'application/schema+json': { schema: { type: 'object' } } },
    parameters: ['collectionId'],
  },
  [`${collectionPath}/items`]: {
    offered: offeredItems,
    id: 'getFeatures',
    summary: 'Features of a layer',
    answer: answerOf(geoJson, 'featureCollectionGeoJSON'),
    parameters: page,
  },
  [`${collectionPath}/items/{featureId}`]: {
    offered: offeredItems,
    id: 'getFeature',
    summary: 'One feature',
    answer: answerOf(geoJson, 'featureGeoJSON'),
    parameters: ['collectionId', 'featureId', 'crs'],
  },
  [`${collectionPath}/granules`]: {
    offered: offeredGranules,
    id: 'getGranules',
    summary: 'Granules of a mosaic',
    answer: answerOf(geoJson, 'featureCollectionGeoJSON'),
    parameters: page,
  },
  [`${collectionPath}/granules/{featureId}`]: {
    offered: offeredGranules,
    id: 'getGranule',
    summary: 'One granule',
    answer: answerOf(geoJson, 'featureGeoJSON'),
    parameters: ['collectionId', 'featureId', 'crs'],
  },
  [`${collectionPath}/granules/{featureId}/file/{fileName}`]: {
    id: 'getGranuleFile',
    summary: "A granule's file, or a range of it",
    answer: file,
    parameters: ['collectionId', 'featureId', 'fileName'],
  },
  [`${collectionPath}/coverage`]: {
    offered: offeredCoverages,
    isFile: true,
    id: 'getCoverage',
    summary: 'A coverage as GeoTIFF, or a range of it',
    answer: { 'image/tiff': { schema: { type: 'string', format: 'binary' } } },
    parameters: ['collectionId'],
  },
  [`${collectionPath}/file/{fileName}`]: {
    id: 'getCoverageFile',
    summary: 'The file of a coverage, or a range of it',
    answer: file,
    parameters: ['collectionId', 'fileName'],
  },
}

/** The catalogue has its own API description; links lead to its landing page. */
const catalogueOperations: Record<string, Operation> = {
  '/catalogue': {
    id: 'getCatalogueLanding',
    summary: 'Landing page of the catalogue (OGC API Records)',
    answer: answerOf(json, 'landingPage'),
  },
}

/** Files of whole layers; counted and limited otherwise than pages. */
const downloadOperations: Record<string, Operation> = {
  [`${collectionPath}/download`]: {
    id: 'getDownload',
    summary: 'Download a layer, or a part of it, as a file',
    answer: { 'application/geopackage+sqlite3': { schema: { type: 'string', format: 'binary' } } },
    parameters: ['collectionId', 'bbox', 'bbox-crs', 'filter', 'filter-lang', 'filter-crs'],
  },
}

const tilesetPath = `${collectionPath}/tiles/{tileMatrixSetId}`

/** Suffixes of operation ids identify operations for clients (OGC 20-057, section 14.2). */
const tileOperations: Record<string, Operation> = {
  '/tileMatrixSets': {
    offered: offeredDocuments,
    id: 'getTileMatrixSetsList',
    summary: 'Tile matrix sets that tiles are cut by',
    answer: answerOf(json, 'tileMatrixSets'),
  },
  '/tileMatrixSets/{tileMatrixSetId}': {
    offered: offeredDocuments,
    id: 'getTileMatrixSet',
    summary: 'Show one tile matrix set',
    answer: answerOf(json, 'tileMatrixSet'),
    parameters: ['tileMatrixSetId'],
  },
  '/tiles': {
    offered: offeredDocuments,
    id: 'terrane.dataset.vector.getTileSetsList',
    summary: 'Tilesets of several layers',
    answer: answerOf(json, 'tileSets'),
    parameters: ['collections'],
  },
  '/tiles/{tileMatrixSetId}': {
    offered: offeredDocuments,
    id: 'terrane.dataset.vector.getTileSet',
    summary: 'Show one tileset of several layers',
    answer: answerOf(json, 'tileSet'),
    parameters: ['tileMatrixSetId', 'collections'],
  },
  '/tiles/{tileMatrixSetId}/{tileMatrix}/{tileRow}/{tileCol}': {
    id: 'terrane.dataset.vector.getTile',
    summary: 'A vector tile with several layers',
    mayBeEmpty: true,
    answer: { 'application/vnd.mapbox-vector-tile': { schema: { type: 'string', format: 'binary' } } },
    parameters: ['tileMatrixSetId', 'tileMatrix', 'tileRow', 'tileCol', 'collections'],
  },
  [`${collectionPath}/tiles`]: {
    offered: offeredDocuments,
    id: 'terrane.collection.vector.getTileSetsList',
    summary: 'Tilesets of a layer',
    answer: answerOf(json, 'tileSets'),
    parameters: ['collectionId'],
  },
  [tilesetPath]: {
    offered: offeredDocuments,
    id: 'terrane.collection.vector.getTileSet',
    summary: 'Show one tileset of a layer',
    answer: answerOf(json, 'tileSet'),
    parameters: ['collectionId', 'tileMatrixSetId'],
  },
  [`${tilesetPath}/{tileMatrix}/{tileRow}/{tileCol}`]: {
    id: 'terrane.collection.vector.getTile',
    summary: 'A vector tile of a layer',
    mayBeEmpty: true,
    answer: { 'application/vnd.mapbox-vector-tile': { schema: { type: 'string', format: 'binary' } } },
    parameters: ['collectionId', 'tileMatrixSetId', 'tileMatrix', 'tileRow', 'tileCol'],
  },
}

const failure = {
  description: 'Problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
}

function formatParameter(offered: readonly Representation[]): object {
  const names = offered.map(({ name }) => name)
  const description = 'Format of the response; takes precedence over `Accept`'
  return { name: 'f', ...query, description, schema: { type: 'string', enum: names, default: names[0] } }
}

const language = {
  name: 'lang',
  ...query,
  description: 'Language of pages; takes precedence over `Accept-Language`',
  schema: { type: 'string', enum: ['en', 'de'] },
}

/** Response contents in representations other than the first. */
function otherContent(offered: readonly Representation[] = []): object {
  return Object.fromEntries(
    offered.flatMap(({ mediaType, schema }) =>
      schema === undefined ? [] : [[mediaType.split(';', 1).join(), { schema }]],
    ),
  )
}

function toOperation(
  { id, summary, answer, offered, mayBeEmpty = false, isFile = false, parameters: names = [] }: Operation,
  tag: 'features' | 'tiles',
): ItemsDescription['operation'] {
  const parametersOfOne = names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  return {
    operationId: id,
    summary,
    tags: [tag],
    parameters: [
      ...parametersOfOne,
      ...(offered === undefined ? [] : [formatParameter(offered), ...(isFile ? [] : [language])]),
    ],
    responses: {
      200: { description: summary, content: { ...answer, ...otherContent(offered) } },
      ...(mayBeEmpty ? { 204: { description: 'Nothing is there' } } : {}),
      400: failure,
      401: failure,
      404: failure,
      500: failure,
      ...(offered === undefined ? {} : { 406: failure }),
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

/** Describes the path of a layer's features, without its properties. */
function describeOwnItems(id: string, title: string): ItemsDescription {
  const { answer, offered } = ownValue(operations, `${collectionPath}/items`) ?? {}
  if (answer === undefined) throw new Error('The feature type has no description in this format')
  const own = page.filter((name) => name !== 'collectionId')
  const summary = `Features of ${title}`
  const described = { id: `getFeatures.${id}`, summary, answer, parameters: own, offered }
  return {
    operation: toOperation(described, 'features'),
    taken: new Set([...own, 'f', 'version', language.name]),
  }
}

/** The interface below `/ogc` as OpenAPI 3.0, which is what clients of OGC API read. */
export function describeOgcApi(
  request: FastifyRequest,
  version: string,
  layers: readonly LayerRecord[],
): object {
  const paths = {
    ...ownItemsPaths(layers, describeOwnItems),
    ...pathsOf({ ...operations, ...downloadOperations, ...catalogueOperations }, 'features'),
    ...pathsOf(tileOperations, 'tiles'),
    ...mapPaths,
    ...stylePaths,
  }
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
      { name: 'maps', description: 'Coverages as pictures' },
      { name: 'styles', description: 'Styles (draft of OGC API Styles)' },
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
