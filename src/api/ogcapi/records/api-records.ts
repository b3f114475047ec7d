import type { FastifyRequest } from '../../app-types.ts'
import { apiMediaType } from '../api-description.ts'
import { catalogueRoot, recordsId } from './record-response.ts'
import { defaultRecords, maxRecords } from './record-search.ts'

const text = { type: 'string' }
const query = { in: 'query', required: false }
const list = { style: 'form', explode: false }
const texts = { type: 'array', items: text }

/** Parameters by the letter of the standards (OGC 17-069r4, section 7.15; 20-004r1, sections 7.4 and 7.6). */
const parameters = {
  recordId: {
    name: 'recordId',
    in: 'path',
    required: true,
    schema: text,
    description: 'Workspace and layer, such as `city:trees`',
  },
  limit: {
    name: 'limit',
    ...query,
    ...list,
    description: 'Records per page',
    schema: { type: 'integer', minimum: 1, maximum: maxRecords, default: defaultRecords },
  },
  bbox: {
    name: 'bbox',
    ...query,
    ...list,
    description: 'Four or six numbers; across the antimeridian the first is the larger',
    schema: { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } },
  },
  datetime: {
    name: 'datetime',
    ...query,
    ...list,
    schema: text,
    description: 'A date, a time, or an interval with `/`, open ends as `..`',
  },
  q: {
    name: 'q',
    ...query,
    ...list,
    schema: texts,
    description: 'Words to search in name, title, keywords, columns and abstract',
  },
  type: { name: 'type', ...query, ...list, schema: texts, description: 'All records are `dataset`' },
  ids: { name: 'ids', ...query, ...list, schema: texts, description: 'Ids of records' },
  externalIds: {
    name: 'externalIds',
    ...query,
    ...list,
    description: 'Identifiers that others have given; there are none',
    schema: { type: 'array', items: { type: 'string', pattern: '([^:]+:)?[^:]+' } },
  },
  sortby: {
    name: 'sortby',
    ...query,
    ...list,
    description: '`id`, `title`, `updated`; `-` sorts in descending order',
    schema: { type: 'array', minItems: 1, items: { type: 'string', pattern: '[+|-]?[A-Za-z_].*' } },
  },
  workspace: { name: 'workspace', ...query, ...list, schema: texts, description: 'Names of workspaces' },
  offset: {
    name: 'offset',
    ...query,
    description: 'Records to skip',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  after: { name: 'after', ...query, schema: text, description: 'Value from the link of the next page' },
}

const link = {
  type: 'object',
  required: ['href'],
  properties: { href: text, rel: text, type: text, title: text },
}
const links = { type: 'array', items: { $ref: '#/components/schemas/link' } }
const open = { type: 'object' }
const schemas = {
  link,
  landingPage: { type: 'object', required: ['links'], properties: { title: text, description: text, links } },
  confClasses: { type: 'object', required: ['conformsTo'], properties: { conformsTo: texts } },
  catalog: {
    type: 'object',
    required: ['id', 'type', 'links'],
    properties: {
      id: text,
      title: text,
      description: text,
      extent: open,
      crs: texts,
      conformsTo: texts,
      links,
      type: { type: 'string', enum: ['Collection'] },
      itemType: { type: 'string', enum: ['record'] },
      defaultSortOrder: { type: 'array', items: open },
    },
  },
  catalogs: {
    type: 'object',
    required: ['links', 'collections'],
    properties: {
      links,
      description: text,
      collections: { type: 'array', items: { $ref: '#/components/schemas/catalog' } },
    },
  },
  recordGeoJSON: {
    type: 'object',
    required: ['id', 'type', 'geometry', 'properties'],
    properties: {
      id: text,
      type: { type: 'string', enum: ['Feature'] },
      time: { type: 'object', nullable: true },
      geometry: { type: 'object', nullable: true },
      conformsTo: texts,
      properties: { type: 'object', nullable: true },
      links,
    },
  },
  recordCollectionGeoJSON: {
    type: 'object',
    required: ['type', 'features'],
    properties: {
      type: { type: 'string', enum: ['FeatureCollection'] },
      features: { type: 'array', items: { $ref: '#/components/schemas/recordGeoJSON' } },
      links,
      timeStamp: { type: 'string', format: 'date-time' },
      numberMatched: { type: 'integer', minimum: 0 },
      numberReturned: { type: 'integer', minimum: 0 },
    },
  },
  exception: { type: 'object', required: ['code'], properties: { code: text, title: text, detail: text } },
}

const failure = {
  description: 'Problem document (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/exception' } } },
}

interface Described {
  id: string
  summary: string
  type: string
  schema?: keyof typeof schemas
  parameters?: (keyof typeof parameters)[]
}

const json = 'application/json'
const collection = `/collections/${recordsId}`
const paths: Record<string, Described> = {
  '/': { id: 'getLandingPage', summary: 'Landing page', type: json, schema: 'landingPage' },
  '/conformance': { id: 'getConformance', summary: 'Conformance classes', type: json, schema: 'confClasses' },
  '/api': { id: 'getApi', summary: 'This document', type: apiMediaType },
  '/collections': { id: 'getCatalogs', summary: 'Collections of records', type: json, schema: 'catalogs' },
  '/dcat': {
    id: 'getDcat',
    summary: 'The layers by DCAT-AP',
    type: 'application/ld+json',
    parameters: ['workspace'],
  },
  [collection]: {
    id: 'describeCatalog',
    summary: 'The collection of records',
    schema: 'catalog',
    type: 'application/ogc-catalog+json',
  },
  [`${collection}/sortables`]: {
    id: 'getSortables',
    summary: 'List the sortables of records',
    type: 'application/schema+json',
  },
  [`${collection}/items`]: {
    id: 'getRecords',
    summary: 'Layers as records',
    type: 'application/geo+json',
    schema: 'recordCollectionGeoJSON',
    parameters: [
      'limit',
      'bbox',
      'datetime',
      'q',
      'type',
      'ids',
      'externalIds',
      'sortby',
      'workspace',
      'offset',
      'after',
    ],
  },
  [`${collection}/items/{recordId}`]: {
    id: 'getRecord',
    summary: 'One layer as a record',
    type: 'application/geo+json',
    schema: 'recordGeoJSON',
    parameters: ['recordId'],
  },
}

function toOperation({ id, summary, type, schema, parameters: names = [] }: Described): object {
  const content = {
    [type]: { schema: schema === undefined ? open : { $ref: `#/components/schemas/${schema}` } },
  }
  return {
    operationId: id,
    summary,
    tags: ['records'],
    parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: {
      200: { description: summary, content },
      400: failure,
      401: failure,
      404: failure,
      500: failure,
    },
  }
}

/** The catalogue as OpenAPI 3.0, which is what clients of OGC API read. */
export function describeCatalogueApi(request: FastifyRequest, version: string): object {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Terrane: OGC API Records',
      version,
      description: 'Layers of this server as records of a catalogue.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: request.link(catalogueRoot) }],
    tags: [{ name: 'records', description: 'Layers as records' }],
    security: [{}, { basic: [] }, { token: [] }],
    paths: Object.fromEntries(Object.entries(paths).map(([path, one]) => [path, { get: toOperation(one) }])),
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
