import type { FastifyRequest } from '../app-types.ts'
import { apiMediaType } from '../ogcapi/api-description.ts'
import { defaultItems, maxItems, maxNamed } from './search-request.ts'
import { geoJson, json, stacRoot } from './stac-links.ts'

const text = { type: 'string' }
const texts = { type: 'array', items: text, maxItems: maxNamed }
const query = { in: 'query', required: false }
const list = { style: 'form', explode: false }
const box = { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } }

/** Parameters by the letter of the standards (OGC 17-069r4, section 7.15; STAC API 1.0.0, item search). */
const parameters = {
  collectionId: {
    name: 'collectionId',
    in: 'path',
    required: true,
    schema: text,
    description: 'Workspace and layer, such as `city:heights`',
  },
  itemId: {
    name: 'itemId',
    in: 'path',
    required: true,
    schema: text,
    description: 'The layer, and of a mosaic the granule: `city:heights.3`',
  },
  limit: {
    name: 'limit',
    ...query,
    ...list,
    description: 'Items or collections per page',
    schema: { type: 'integer', minimum: 1, maximum: maxItems, default: defaultItems },
  },
  bbox: {
    name: 'bbox',
    ...query,
    ...list,
    description: 'Four or six numbers; across the antimeridian the first is the larger',
    schema: box,
  },
  datetime: {
    name: 'datetime',
    ...query,
    ...list,
    schema: text,
    description: 'A date, a time, or an interval with `/`, open ends as `..`',
  },
  intersects: { name: 'intersects', ...query, schema: text, description: 'A GeoJSON geometry in degrees' },
  collections: {
    name: 'collections',
    ...query,
    ...list,
    schema: texts,
    description: 'Collections to search',
  },
  ids: { name: 'ids', ...query, ...list, schema: texts, description: 'Ids of items' },
  token: { name: 'token', ...query, schema: text, description: 'Start of the page, from the link `next`' },
}

const link = {
  type: 'object',
  required: ['href', 'rel'],
  properties: { href: text, rel: text, type: text, title: text, method: text, body: { type: 'object' } },
}
const links = { type: 'array', items: { $ref: '#/components/schemas/link' } }
const stac = { type: text, stac_version: text, id: text, links }
const schemas = {
  link,
  catalog: {
    type: 'object',
    required: ['type', 'stac_version', 'id', 'description', 'links', 'conformsTo'],
    properties: { ...stac, title: text, description: text, conformsTo: { type: 'array', items: text } },
  },
  confClasses: {
    type: 'object',
    required: ['conformsTo'],
    properties: { conformsTo: { type: 'array', items: text } },
  },
  collection: {
    type: 'object',
    required: ['type', 'stac_version', 'id', 'description', 'license', 'extent', 'links'],
    properties: {
      ...stac,
      title: text,
      description: text,
      license: text,
      keywords: { type: 'array', items: text },
      extent: { type: 'object' },
      summaries: { type: 'object' },
      assets: { type: 'object' },
    },
  },
  collections: {
    type: 'object',
    required: ['collections', 'links'],
    properties: { links, collections: { type: 'array', items: { $ref: '#/components/schemas/collection' } } },
  },
  item: {
    type: 'object',
    required: ['type', 'stac_version', 'id', 'geometry', 'properties', 'links', 'assets'],
    properties: {
      ...stac,
      collection: text,
      geometry: { type: 'object', nullable: true },
      bbox: box,
      properties: { type: 'object' },
      assets: { type: 'object' },
    },
  },
  items: {
    type: 'object',
    required: ['type', 'features', 'links'],
    properties: {
      type: { type: 'string', enum: ['FeatureCollection'] },
      features: { type: 'array', items: { $ref: '#/components/schemas/item' } },
      numberMatched: { type: 'integer', minimum: 0 },
      numberReturned: { type: 'integer', minimum: 0 },
      timeStamp: { type: 'string', format: 'date-time' },
      links,
    },
  },
  search: {
    type: 'object',
    properties: {
      bbox: box,
      datetime: text,
      collections: texts,
      ids: texts,
      intersects: { type: 'object' },
      limit: { type: 'integer', minimum: 1, maximum: maxItems, default: defaultItems },
      token: text,
    },
  },
  exception: { type: 'object', required: ['code'], properties: { code: text, title: text, detail: text } },
}

interface Described {
  id: string
  summary: string
  type: string
  schema?: keyof typeof schemas
  parameters?: (keyof typeof parameters)[]
}

const collection = '/collections/{collectionId}'
const search: Described = {
  id: 'getItemSearch',
  summary: 'Search items',
  type: geoJson,
  schema: 'items',
  parameters: ['bbox', 'datetime', 'limit', 'intersects', 'collections', 'ids', 'token'],
}
const paths: Record<string, Described> = {
  '/': { id: 'getLandingPage', summary: 'Root of the catalogue', type: json, schema: 'catalog' },
  '/conformance': { id: 'getConformance', summary: 'Conformance classes', type: json, schema: 'confClasses' },
  '/api': { id: 'getApi', summary: 'This document', type: apiMediaType },
  '/collections': {
    id: 'getCollections',
    summary: 'Rasters and mosaics',
    type: json,
    schema: 'collections',
    parameters: ['limit', 'token'],
  },
  [collection]: {
    id: 'describeCollection',
    summary: 'One raster or mosaic',
    type: json,
    schema: 'collection',
    parameters: ['collectionId'],
  },
  [`${collection}/items`]: {
    id: 'getFeatures',
    summary: 'Items of a raster or mosaic',
    type: geoJson,
    schema: 'items',
    parameters: ['collectionId', 'limit', 'bbox', 'datetime', 'token'],
  },
  [`${collection}/items/{itemId}`]: {
    id: 'getFeature',
    summary: 'One item',
    type: geoJson,
    schema: 'item',
    parameters: ['collectionId', 'itemId'],
  },
  '/search': search,
}

const failure = {
  description: 'Problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
}

function toOperation({ id, summary, type, schema, parameters: names = [] }: Described): object {
  const body = schema === undefined ? { type: 'object' } : { $ref: `#/components/schemas/${schema}` }
  return {
    operationId: id,
    summary,
    tags: ['stac'],
    parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: {
      200: { description: summary, content: { [type]: { schema: body } } },
      400: failure,
      401: failure,
      404: failure,
      500: failure,
    },
  }
}

function searchByPost(): object {
  const schema = { $ref: '#/components/schemas/search' }
  return {
    ...toOperation({ ...search, id: 'postItemSearch', parameters: [] }),
    requestBody: { content: { [json]: { schema } } },
  }
}

/** The catalogue as OpenAPI 3.0, which is what clients of STAC API read. */
export function describeStacApi(request: FastifyRequest, version: string): object {
  const described = Object.entries(paths).map(([path, one]): [string, object] => [
    path,
    { get: toOperation(one) },
  ])
  return {
    openapi: '3.0.3',
    info: {
      title: 'Terrane: STAC API',
      version,
      description: 'Rasters and mosaics of this server as STAC collections and items.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: request.link(stacRoot) }],
    tags: [{ name: 'stac', description: 'Rasters and mosaics' }],
    security: [{}, { basic: [] }, { token: [] }],
    paths: {
      ...Object.fromEntries(described),
      '/search': { get: toOperation(search), post: searchByPost() },
    },
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
