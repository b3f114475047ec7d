import { Type } from 'typebox'
import type { FastifyRequest } from '../app-types.ts'
import { media } from '../description.ts'
import { operation } from '../endpoint.ts'
import { readableLayers } from './about-layer.ts'
import { apiMediaType, describeOgcApi } from './api-description.ts'
import { offeredDescriptions, offeredDocuments } from './offered.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { chosenRepresentation, represented } from './representations.ts'
import { ConfClasses, LandingPage } from './schemas.ts'

const parts = 'http://www.opengis.net/spec'

const conformsTo = [
  `${parts}/ogcapi-common-1/1.0/conf/core`,
  `${parts}/ogcapi-features-1/1.0/conf/core`,
  `${parts}/ogcapi-features-1/1.0/conf/oas30`,
  `${parts}/ogcapi-features-1/1.0/conf/geojson`,
  `${parts}/ogcapi-features-2/1.0/conf/crs`,
  ...['queryables', 'filter', 'features-filter'].map((name) => `${parts}/ogcapi-features-3/1.0/conf/${name}`),
  ...[
    'cql2-text',
    'cql2-json',
    'basic-cql2',
    'advanced-comparison-operators',
    'case-insensitive-comparison',
    'accent-insensitive-comparison',
    'basic-spatial-functions',
    'basic-spatial-functions-plus',
    'spatial-functions',
    'temporal-functions',
    'property-property',
    'arithmetic',
    'functions',
  ].map((name) => `${parts}/cql2/1.0/conf/${name}`),
  ...['schemas', 'returnables-and-receivables', 'sortables'].map(
    (name) => `${parts}/ogcapi-features-5/1.0/conf/${name}`,
  ),
  `${parts}/ogcapi-features-4/1.0/conf/create-replace-delete`,
  `${parts}/ogcapi-features-4/1.0/conf/update`,
  `${parts}/ogcapi-features-4/1.0/conf/optimistic-locking-etags`,
  `${parts}/ogcapi-features-4/1.0/conf/features`,
  ...['core', 'types-schemas'].map((name) => `${parts}/json-fg-1/1.0/conf/${name}`),
  `${parts}/ogcapi-tiles-1/1.0/conf/core`,
  `${parts}/ogcapi-tiles-1/1.0/conf/tileset`,
  `${parts}/ogcapi-tiles-1/1.0/conf/tilesets-list`,
  `${parts}/ogcapi-tiles-1/1.0/conf/geodata-tilesets`,
  `${parts}/ogcapi-tiles-1/1.0/conf/dataset-tilesets`,
  `${parts}/ogcapi-tiles-1/1.0/conf/collections-selection`,
  `${parts}/ogcapi-tiles-1/1.0/conf/oas30`,
  `${parts}/ogcapi-tiles-1/1.0/conf/mvt`,
  // The draft of OGC API Styles.
  ...['core', 'manage-styles', 'style-info', 'mapbox-styles', 'sld-10', 'sld-11', 'html'].map(
    (name) => `${parts}/ogcapi-styles-1/0.0/conf/${name}`,
  ),
  // These begin with https in the standard itself.
  ...['core', 'png', 'jpeg'].map((name) => `https://www.opengis.net/spec/ogcapi-maps-1/1.0/conf/${name}`),
]

const json = 'application/json'
const catalogRelation = 'http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog'
const vectorTilesets = 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector'
const stylesRelation = 'http://www.opengis.net/def/rel/ogc/1.0/styles'
const tilingSchemes = 'http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes'

function landingPage(request: FastifyRequest): object {
  const link = (rel: string, type: string, title: string, path: string): object => ({
    rel,
    type,
    title,
    href: request.link(path),
  })
  return {
    title: 'Terrane',
    description: 'Layers of this server as OGC API Features and OGC API Tiles',
    links: [
      link('self', json, 'This page', '/ogc/'),
      link('service-desc', apiMediaType, 'Definition of this interface', '/ogc/api'),
      link('service-doc', 'text/html', 'Documentation', '/docs'),
      link('conformance', json, 'Conformance', '/ogc/conformance'),
      link('data', json, 'Collections', '/ogc/collections'),
      link(vectorTilesets, json, 'Vector tiles of several collections', '/ogc/tiles'),
      link(tilingSchemes, json, 'Tile matrix sets', '/ogc/tileMatrixSets'),
      link(stylesRelation, json, 'Styles', '/ogc/styles'),
      link('service', json, 'Rasters and mosaics as a STAC catalogue', '/stac'),
      link(catalogRelation, json, 'The layers as records of a catalogue', '/ogc/catalogue'),
    ],
  }
}

const marks = { tags: ['features'], isPublicRead: true }

export const getLandingPage = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Landing page',
    description: 'Links to the collections, the conformance classes and the API definition of OGC API.',
    answers: { 200: LandingPage },
    handle: (_: unknown, request) => landingPage(request),
  }),
)

export const getConformance = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Conformance classes',
    description:
      'URIs of the conformance classes of OGC API Features, Tiles, Maps, Coverages and CQL2 that hold for all collections.',
    answers: { 200: ConfClasses },
    handle: () => ({ conformsTo }),
  }),
)

export const getApi = represented(
  offeredDescriptions,
  operation({
    ...marks,
    summary: 'This part of the interface as OpenAPI 3.0',
    description: 'The part below `/ogc` alone, in the version of OpenAPI that OGC API clients read.',
    answers: {
      200: media('An OpenAPI document', {
        [apiMediaType.split(';', 1).join()]: Type.Object({}, { additionalProperties: true }),
      }),
    },
    handle: async ({ catalog, version }: Pick<OgcDeps, 'catalog' | 'version'>, request, reply) => {
      const description = describeOgcApi(request, version, await readableLayers(catalog, request))
      if (chosenRepresentation(request) !== undefined) return description
      // As bytes: to a text a parameter would be added, and clients compare the type to the letter.
      return reply.header('content-type', apiMediaType).send(Buffer.from(JSON.stringify(description)))
    },
  }),
)
