import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { gmlSchema } from '../../formats/writing/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import type { LayerTimeBounds } from '../layer-times.ts'
import { aboutLayer, readableLayers, requireFeatures } from './about-layer.ts'
import {
  collectionId,
  queryablesLink,
  supportedCrs,
  toCollection,
  toJsonSchema,
  toQueryables,
  toSentSchema,
  toSortables,
} from './collection.ts'
import { sayMapLink, toCoverage } from './coverage.ts'
import { layerOfGranules } from './granules.ts'
import { offeredDocuments, offeredQueryables, offeredSchemas } from './offered.ts'
import type { CatalogPageDeps, OgcDeps } from './ogc-deps.ts'
import { chosenRepresentation, linkHeader, represented } from './representations.ts'
import {
  Collection,
  CollectionParams,
  Collections,
  CollectionsQuery,
  SchemaAnswer,
  SchemaQuery,
} from './schemas.ts'

const marks = { tags: ['features'], isPublicRead: true }

async function describe(
  catalog: Catalog,
  times: LayerTimeBounds,
  request: FastifyRequest,
  layer: LayerRecord,
  options: { isBrief: boolean },
): Promise<object> {
  if (layer.details.kind === 'vector') return toCollection(request, layer, await times.of(layer))
  return toCoverage(request, layer, await catalog.layers.storeOf(layer), options)
}

const signInHint =
  'No collection is public: with a login (user name and password, or a token) there may be more to see'

export const getCollections = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Published layers',
    description:
      'Every layer that the caller may read as a collection, with extent, CRSs and links. Without a login those that are public.',
    query: CollectionsQuery,
    answers: { 200: Collections },
    handle: async ({ catalog, times }: Pick<OgcDeps, 'catalog' | 'times'>, request) => {
      const layers = await readableLayers(catalog, request)
      const isHintDue = layers.length === 0 && request.caller.role === 'anonymous'
      return {
        links: [{ rel: 'self', type: 'application/json', href: request.link('/ogc/collections') }],
        description: isHintDue ? signInHint : undefined,
        crs: [...new Set(layers.filter(({ details }) => details.kind === 'vector').flatMap(supportedCrs))],
        collections: await Promise.all(
          layers.map((layer) => describe(catalog, times, request, layer, { isBrief: true })),
        ),
      }
    },
  }),
)

export const describeCollection = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Show one layer',
    description: 'Title, extent, CRSs, attributes and links of one layer: items, tiles, maps, downloads.',
    params: CollectionParams,
    answers: { 200: Collection },
    handle: (deps: Pick<OgcDeps, 'catalog' | 'version' | 'sharedMaxAgeSeconds' | 'times'>, request, reply) =>
      aboutLayer(deps, request, reply, (layer) => {
        sayMapLink(request, reply, layer)
        if (layer.details.kind === 'vector') reply.header('link', linkHeader(queryablesLink(request, layer)))
        return describe(deps.catalog, deps.times, request, layer, { isBrief: false })
      }),
  }),
)

/** The elements of a layer's features in XML. */
function toGmlSchema(request: FastifyRequest, layer: LayerRecord): string {
  const namespace = request.link(`/ogc/collections/${encodeURIComponent(collectionId(layer))}`)
  return gmlSchema({ name: layer.name, namespace, schema: layer.details.schema })
}

export const getSchema = represented(
  offeredSchemas,
  operation({
    ...marks,
    summary: 'Show the attributes of a layer, or the schema of features to send',
    description:
      'A JSON Schema of the properties of features. With `Accept: application/schema+json` and for writing, it lists the required properties of a new feature.',
    params: CollectionParams,
    query: SchemaQuery,
    answers: { 200: SchemaAnswer },
    handle: (deps: CatalogPageDeps, request, reply) =>
      aboutLayer(deps, request, reply, (layer) => {
        requireFeatures(layer)
        if (chosenRepresentation(request)?.name === 'gml') {
          reply.header('content-type', 'application/gml+xml; version=3.2')
          return toGmlSchema(request, layer)
        }
        reply.header('content-type', 'application/schema+json; charset=utf-8')
        const schema = toJsonSchema(request, layer)
        return request.query.type === undefined ? schema : toSentSchema(layer, schema, request.query.type)
      }),
  }),
)

export const getQueryables = represented(
  offeredQueryables,
  operation({
    ...marks,
    summary: 'List the queryables of a layer',
    description:
      'A JSON Schema of the properties that `filter` accepts, with all values if there are few, otherwise with the minimum and maximum.',
    params: CollectionParams,
    answers: { 200: SchemaAnswer },
    handle: (deps: Pick<OgcDeps, 'catalog' | 'version' | 'sharedMaxAgeSeconds' | 'kept'>, request, reply) =>
      aboutLayer(deps, request, reply, async (layer) => {
        reply.header('content-type', 'application/schema+json; charset=utf-8')
        const granules = await layerOfGranules(deps.catalog, layer)
        if (granules !== undefined) return toQueryables(request, granules)
        const values = await deps.kept.values.of(requireFeatures(layer))
        // The response is not cacheable while values are missing: a later one contains more.
        if (values === undefined) reply.removeHeader('etag').header('cache-control', 'no-cache')
        return toQueryables(request, layer, values)
      }),
  }),
)

export const getSortables = represented(
  offeredQueryables,
  operation({
    ...marks,
    summary: 'List the sortables of a layer',
    description: 'A JSON Schema of the properties that `sortby` accepts.',
    params: CollectionParams,
    answers: { 200: SchemaAnswer },
    handle: (deps: CatalogPageDeps, request, reply) =>
      aboutLayer(deps, request, reply, async (layer) => {
        reply.header('content-type', 'application/schema+json; charset=utf-8')
        return toSortables(request, (await layerOfGranules(deps.catalog, layer)) ?? requireFeatures(layer))
      }),
  }),
)
