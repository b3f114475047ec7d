import type { SummarySet } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { crs84Uri } from '../../crs-uris.ts'
import { operation } from '../../endpoint.ts'
import { apiMediaType } from '../api-description.ts'
import { asHtml } from '../as-html.ts'
import { offeredDescriptions, offeredDocuments, offeredGranules, offeredSchemas } from '../offered.ts'
import type { CatalogPageDeps, OgcDeps } from '../ogc-deps.ts'
import type { Representation } from '../representations.ts'
import { chosenRepresentation, represented } from '../representations.ts'
import { ConfClasses } from '../schemas.ts'
import { describeCatalogueApi } from './api-records.ts'
import { isListKept, knownSummaries } from './read-records.ts'
import type { RecordLink } from './record-response.ts'
import {
  catalogProfile,
  catalogueRoot,
  recordsCollection,
  recordsId,
  recordsPath,
} from './record-response.ts'
import {
  CatalogueAnswer,
  CatalogueLanding,
  CataloguesAnswer,
  OpenApiAnswer,
  SortablesAnswer,
} from './schemas.ts'

/** The collection of records. */
const offeredCatalogues: readonly Representation[] = [
  {
    name: 'json',
    mediaType: 'application/ogc-catalog+json',
    title: 'JSON',
    acceptedAs: ['application/json'],
  },
  asHtml,
]

/** Records are GeoJSON as granules are. */
export const offeredRecords: readonly Representation[] = offeredGranules

const parts = 'http://www.opengis.net/spec'
const features = `${parts}/ogcapi-features-1/1.0/conf`
const records = `${parts}/ogcapi-records-1/1.0/conf`

/** Conformance classes of the catalogue. */
const conformsTo = [
  ...['core', 'oas30', 'geojson'].map((name) => `${features}/${name}`),
  ...['searchable-catalog', 'searchable-catalog-sorting', 'record-core', 'record-collection'].map(
    (name) => `${records}/${name}`,
  ),
  ...['record-core-query-parameters', 'records-api', 'sorting', 'json', 'oas30'].map(
    (name) => `${records}/${name}`,
  ),
]

const json = 'application/json'
const catalogJson = 'application/ogc-catalog+json'
const relations = 'http://www.opengis.net/def/rel/ogc/1.0'
const marks = { tags: ['records'], isPublicRead: true }

function linker(request: FastifyRequest) {
  return (rel: string, type: string, title: string, path: string): RecordLink => ({
    rel,
    type,
    title,
    href: request.link(path),
  })
}

export const getCatalogueLanding = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'The catalogue: landing page of OGC API Records',
    description: 'Links to the collection of records, its conformance classes and its API definition.',
    answers: { 200: CatalogueLanding },
    handle: (_: unknown, request) => {
      const link = linker(request)
      return {
        title: 'Terrane: catalogue',
        description: 'Layers of this server as records of a catalogue (OGC API Records)',
        links: [
          link('self', json, 'This page', catalogueRoot),
          link('service-desc', apiMediaType, 'Definition of this interface', `${catalogueRoot}/api`),
          link('service-doc', 'text/html', 'Documentation', '/docs'),
          link('conformance', json, 'Conformance', `${catalogueRoot}/conformance`),
          link('data', json, 'Collections of records', `${catalogueRoot}/collections`),
          link(`${relations}/ogc-catalog`, 'application/geo+json', 'Records', recordsPath),
          link('related', json, 'The layers themselves', '/ogc'),
          link('alternate', 'application/ld+json', 'The same by DCAT-AP', `${catalogueRoot}/dcat`),
        ],
      }
    },
  }),
)

export const getCatalogueConformance = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Conformance classes of the catalogue',
    description: 'URIs of the conformance classes of OGC API Records.',
    answers: { 200: ConfClasses },
    handle: () => ({ conformsTo }),
  }),
)

export const getCatalogueApi = represented(
  offeredDescriptions,
  operation({
    ...marks,
    summary: 'The catalogue as OpenAPI 3.0',
    description:
      'The part below `/ogc/catalogue` alone, in the version of OpenAPI that OGC API clients read.',
    answers: { 200: OpenApiAnswer },
    handle: ({ version }: Pick<OgcDeps, 'version'>, request, reply) => {
      const description = describeCatalogueApi(request, version)
      if (chosenRepresentation(request) !== undefined) return description
      // As bytes: to a text a parameter would be added, and clients compare the type to the letter.
      return reply.header('content-type', apiMediaType).send(Buffer.from(JSON.stringify(description)))
    },
  }),
)

/** The collection of records; it was changed when the newest of its layers was. */
function toCatalogue(request: FastifyRequest, set: SummarySet): object {
  const link = linker(request)
  const newest = set.ordered('changed', true)[0]?.changedAt
  return {
    id: recordsId,
    type: 'Collection',
    itemType: 'record',
    title: 'Layers',
    description: 'The layers of this server that may be read',
    updated: newest,
    conformsTo: [`${records}/record-collection`],
    extent: { spatial: { bbox: [[-180, -90, 180, 90]], crs: crs84Uri } },
    crs: [crs84Uri],
    defaultSortOrder: [{ field: 'id', direction: 'asc' }],
    links: [
      link('self', catalogJson, 'This collection', recordsCollection),
      link('items', 'application/geo+json', 'Records', recordsPath),
      link(
        `${relations}/sortables`,
        'application/schema+json',
        'Sortables',
        `${recordsCollection}/sortables`,
      ),
      link('root', json, 'The catalogue', catalogueRoot),
      catalogProfile,
    ],
  }
}

const signInHint = 'No layer is public: with a login (user name and password, or a token) there may be more'

export const getCatalogues = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Collections of records; there is only one',
    description: 'One collection, `layers`, with a record for each layer that the caller may read.',
    answers: { 200: CataloguesAnswer },
    handle: async (deps: CatalogPageDeps, request, reply) => {
      const set = await knownSummaries(deps.catalog, request)
      if (isListKept(deps, set, { request, reply })) return reply.send()
      const isHintDue = set.byId.size === 0 && request.caller.role === 'anonymous'
      return {
        description: isHintDue ? signInHint : undefined,
        links: [linker(request)('self', json, 'This page', `${catalogueRoot}/collections`)],
        collections: [toCatalogue(request, set)],
      }
    },
  }),
)

export const describeCatalogue = represented(
  offeredCatalogues,
  operation({
    ...marks,
    summary: 'The collection of records',
    description: 'Title, extent and sort order of the collection of records.',
    answers: { 200: CatalogueAnswer },
    handle: async (deps: CatalogPageDeps, request, reply) => {
      const set = await knownSummaries(deps.catalog, request)
      if (isListKept(deps, set, { request, reply })) return reply.send()
      const { accept = '' } = request.headers
      const isPlain = accept.includes(json) && !accept.includes(catalogJson)
      reply.header('content-type', `${isPlain ? json : catalogJson}; charset=utf-8`)
      return toCatalogue(request, set)
    },
  }),
)

export const getCatalogueSortables = represented(
  offeredSchemas,
  operation({
    ...marks,
    summary: 'List the sortables of records',
    description: 'A JSON Schema of the record properties that `sortby` accepts.',
    answers: { 200: SortablesAnswer },
    handle: (_: unknown, request, reply) => {
      reply.header('content-type', 'application/schema+json; charset=utf-8')
      return {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: request.link(`${recordsCollection}/sortables`),
        title: 'Layers',
        type: 'object',
        properties: {
          id: { title: 'Workspace and name', type: 'string' },
          title: { title: 'Title, whatever case and accents', type: 'string' },
          updated: { title: 'Last change', type: 'string', format: 'date-time' },
        },
        additionalProperties: false,
      }
    },
  }),
)
