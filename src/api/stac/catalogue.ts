import type { LayerRecord } from '../../catalog/index.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import { readableLayer } from '../ogcapi/about-layer.ts'
import { apiMediaType } from '../ogcapi/api-description.ts'
import { collectionId } from '../ogcapi/collection.ts'
import { offeredDescriptions, offeredDocuments } from '../ogcapi/offered.ts'
import { isListKept, knownSummaries, readLayers } from '../ogcapi/records/read-records.ts'
import { chosenRepresentation, represented } from '../ogcapi/representations.ts'
import { ConfClasses } from '../ogcapi/schemas.ts'
import { describeStacApi } from './api-stac.ts'
import { toStacCollection } from './collection-response.ts'
import {
  CollectionsQuery,
  OpenApiAnswer,
  StacCatalog,
  StacCollection,
  StacCollectionParams,
  StacCollections,
} from './schemas.ts'
import { readSearch, writePosition } from './search-request.ts'
import type { StacDeps } from './stac-deps.ts'
import { geoJson, json, type StacLink, stacLink, stacRoot, stacVersion } from './stac-links.ts'

const stacApi = 'https://api.stacspec.org/v1.0.0'
const features = 'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf'

const conformsTo = [
  ...['core', 'collections', 'ogcapi-features', 'item-search'].map((name) => `${stacApi}/${name}`),
  ...['core', 'oas30', 'geojson'].map((name) => `${features}/${name}`),
]

export const stacMarks = { tags: ['stac'], isPublicRead: true }

/** Maximum number of child links of the root: clients read the rest from `/stac/collections`. */
const maxChildren = 1000

type CatalogueDeps = Pick<StacDeps, 'catalog' | 'version' | 'sharedMaxAgeSeconds'>

export const getStacCatalog = represented(
  offeredDocuments,
  operation({
    ...stacMarks,
    summary: 'Root of the STAC catalogue',
    description:
      'Links to a collection for each raster and mosaic that the caller may read, and to the search.',
    answers: { 200: StacCatalog },
    handle: async ({ catalog, ...deps }: CatalogueDeps, request, reply) => {
      const set = await knownSummaries(catalog, request)
      if (isListKept(deps, set, { request, reply })) return reply.send()
      const rasters = set.ordered('name', false).filter(({ kind }) => kind === 'raster')
      return {
        type: 'Catalog',
        stac_version: stacVersion,
        id: 'terrane',
        title: 'Terrane',
        description: 'Rasters and mosaics of this server',
        conformsTo,
        links: [
          ...rootLinks(request),
          ...rasters
            .slice(0, maxChildren)
            .map(({ qualifiedName, title }) =>
              stacLink(
                request,
                'child',
                json,
                title,
                `${stacRoot}/collections/${encodeURIComponent(qualifiedName)}`,
              ),
            ),
        ],
      }
    },
  }),
)

function rootLinks(request: FastifyRequest): StacLink[] {
  const search = `${stacRoot}/search`
  return [
    stacLink(request, 'self', json, 'This catalogue', stacRoot),
    stacLink(request, 'root', json, 'This catalogue', stacRoot),
    stacLink(request, 'service-desc', apiMediaType, 'Definition of this interface', `${stacRoot}/api`),
    stacLink(request, 'service-doc', 'text/html', 'Documentation', '/docs'),
    stacLink(request, 'conformance', json, 'Conformance', `${stacRoot}/conformance`),
    stacLink(request, 'data', json, 'Collections', `${stacRoot}/collections`),
    { ...stacLink(request, 'search', geoJson, 'Search', search), method: 'GET' },
    { ...stacLink(request, 'search', geoJson, 'Search by POST', search), method: 'POST' },
    stacLink(request, 'alternate', json, 'The layers as OGC API', '/ogc'),
  ]
}

export const getStacConformance = represented(
  offeredDocuments,
  operation({
    ...stacMarks,
    summary: 'Conformance classes of the STAC catalogue',
    description: 'URIs of the conformance classes of STAC API and OGC API Features.',
    answers: { 200: ConfClasses },
    handle: () => ({ conformsTo }),
  }),
)

export const getStacApi = represented(
  offeredDescriptions,
  operation({
    ...stacMarks,
    summary: 'The STAC catalogue as OpenAPI 3.0',
    description: 'The part below `/stac` alone, in the version of OpenAPI that clients read.',
    answers: { 200: OpenApiAnswer },
    handle: ({ version }: Pick<StacDeps, 'version'>, request, reply) => {
      const description = describeStacApi(request, version)
      if (chosenRepresentation(request) !== undefined) return description
      // As bytes: to a text a parameter would be added, and clients compare the type to the letter.
      return reply.header('content-type', apiMediaType).send(Buffer.from(JSON.stringify(description)))
    },
  }),
)

/** Returns the raster or mosaic that the path names; a layer that the caller may not read is unknown. */
export async function readableRaster(
  { catalog }: Pick<StacDeps, 'catalog'>,
  request: FastifyRequest<{ Params: { collectionId: string } }>,
): Promise<LayerRecord> {
  const layer = await readableLayer(catalog, request)
  if (layer.details.kind === 'raster') return layer
  const id = collectionId(layer)
  throw notFound(
    'unknown-collection',
    `Collection "${id}" contains features, and this catalogue has rasters and mosaics only: use /ogc/collections/${id}`,
  )
}

async function collectionOf(
  { bounds, about }: Pick<StacDeps, 'bounds' | 'about'>,
  request: FastifyRequest,
  layer: LayerRecord,
): Promise<object> {
  return toStacCollection(request, layer, { range: await bounds.ofLayer(layer), publisher: about.contact })
}

export const getStacCollections = represented(
  offeredDocuments,
  operation({
    ...stacMarks,
    summary: 'Rasters and mosaics as STAC collections',
    description: 'A page of the collections that the caller may read, in the order of their names.',
    query: CollectionsQuery,
    answers: { 200: StacCollections },
    handle: async (deps: StacDeps, request, reply) => {
      const { token, limit: text } = request.query
      const { limit, position } = readSearch({ limit: text, token })
      const set = await knownSummaries(deps.catalog, request)
      if (isListKept(deps, set, { request, reply })) return reply.send()
      const rest = set
        .ordered('name', false)
        .filter(({ kind, qualifiedName }) => kind === 'raster' && qualifiedName >= (position?.layer ?? ''))
      const collections: object[] = []
      for await (const layers of readLayers(deps.catalog, request, rest.slice(0, limit)))
        for (const layer of layers) collections.push(await collectionOf(deps, request, layer))
      return { collections, links: collectionsLinks(request, rest[limit]?.qualifiedName) }
    },
  }),
)

function collectionsLinks(request: FastifyRequest, next: string | undefined): StacLink[] {
  const path = `${stacRoot}/collections`
  const query = new URLSearchParams(request.query as Record<string, string>)
  const self = query.size === 0 ? path : `${path}?${query}`
  if (next !== undefined) query.set('token', writePosition({ layer: next, from: 0 }))
  return [
    stacLink(request, 'self', json, 'This page', self),
    stacLink(request, 'root', json, 'The catalogue', stacRoot),
    ...(next === undefined ? [] : [stacLink(request, 'next', json, 'Next page', `${path}?${query}`)]),
  ]
}

export const getStacCollection = represented(
  offeredDocuments,
  operation({
    ...stacMarks,
    summary: 'A raster or mosaic as a STAC collection',
    description: 'Title, extent, licence, providers and links of one raster or mosaic.',
    params: StacCollectionParams,
    answers: { 200: StacCollection },
    handle: async (deps: StacDeps, request, reply) => {
      const layer = await readableRaster(deps, request)
      const set = await knownSummaries(deps.catalog, request)
      if (isListKept(deps, set, { request, reply })) return reply.send()
      return collectionOf(deps, request, layer)
    },
  }),
)
