import { Type } from 'typebox'
import { findLayer, listLayers } from '../../catalog/layers.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { getStoreById } from '../../catalog/stores.ts'
import { listWorkspaces } from '../../catalog/workspaces.ts'
import { Failure, notFound } from '../../lib/errors.ts'
import type { App, Area, FastifyRequest, HttpContext } from '../app-types.ts'
import { hasRole } from '../auth/access.ts'
import { supportedCrs, toCollection, toJsonSchema } from './collection.ts'
import { toCoverage } from './coverage.ts'
import { requireFeatures, sendCoverageFile } from './coverage-file.ts'
import { sendGranule, sendGranuleFile, sendGranules } from './granules.ts'
import { sendItem, sendItems } from './items.ts'
import { defaultLimit, maxLimit } from './items-query.ts'

const conformsTo = [
  'http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
  'http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs',
]

const Items = Type.Object({
  limit: Type.Optional(Type.String({ description: `Features a page: ${defaultLimit}, at most ${maxLimit}` })),
  offset: Type.Optional(Type.String({ description: 'Features to skip' })),
  bbox: Type.Optional(
    Type.String({ description: 'minx,miny,maxx,maxy; across the antimeridian minx is the larger' }),
  ),
  'bbox-crs': Type.Optional(Type.String({ description: 'URI of the CRS of bbox; default CRS84' })),
  datetime: Type.Optional(
    Type.String({ description: 'A date, a time, or an interval with "/" and ".." for open' }),
  ),
  crs: Type.Optional(
    Type.String({ description: 'URI of the CRS of the answer, one that the collection lists' }),
  ),
})
const Collection = Type.Object({ collectionId: Type.String() })
const File = Type.Object({ collectionId: Type.String(), fileName: Type.String() })
const Item = Type.Object({ collectionId: Type.String(), featureId: Type.String() })
const GranuleFile = Type.Object({ ...Item.properties, fileName: Type.String() })

async function readableWorkspaces({ database }: HttpContext, request: FastifyRequest): Promise<Set<string>> {
  const workspaces = await listWorkspaces(database.kysely)
  const all = hasRole(request.caller, 'user')
  return new Set(workspaces.filter(({ isPublic }) => all || isPublic).map(({ name }) => name))
}

/** The layer that `<workspace>:<layer>` names; one that the caller may not see asks for credentials. */
async function readableLayer(context: HttpContext, request: FastifyRequest): Promise<LayerRecord> {
  const { collectionId } = request.params as { collectionId: string }
  const colon = collectionId.indexOf(':')
  const workspace = collectionId.slice(0, Math.max(colon, 0))
  const layer = await findLayer(context.database.kysely, workspace, collectionId.slice(colon + 1))
  if ((await readableWorkspaces(context, request)).has(workspace) && layer !== undefined) {
    request.usedLayer = layer
    return layer
  }
  if (!hasRole(request.caller, 'user')) {
    throw new Failure(
      'unauthenticated',
      'login-required',
      'This collection is not public: credentials are needed',
    )
  }
  throw notFound('unknown-collection', `Collection "${collectionId}" does not exist`)
}

function landingPage(request: FastifyRequest): object {
  const json = 'application/json'
  return {
    title: 'Terrane',
    description: 'Layers of this server as OGC API Features',
    links: [
      { rel: 'self', type: json, title: 'This page', href: request.link('/ogc/') },
      {
        rel: 'service-desc',
        type: 'application/vnd.oai.openapi+json;version=3.1',
        title: 'Definition of the interface',
        href: request.link('/openapi.json'),
      },
      { rel: 'service-doc', type: 'text/html', title: 'Documentation', href: request.link('/docs') },
      { rel: 'conformance', type: json, title: 'Conformance', href: request.link('/ogc/conformance') },
      { rel: 'data', type: json, title: 'Collections', href: request.link('/ogc/collections') },
    ],
  }
}

async function describe(
  { database }: HttpContext,
  request: FastifyRequest,
  layer: LayerRecord,
  options: { isBrief: boolean },
): Promise<object> {
  if (layer.details.kind === 'vector') return toCollection(request, layer)
  return toCoverage(request, layer, await getStoreById(database.kysely, layer.storeId), options)
}

async function collections(context: HttpContext, request: FastifyRequest): Promise<object> {
  const readable = await readableWorkspaces(context, request)
  const layers = (await listLayers(context.database.kysely)).filter(({ workspace }) =>
    readable.has(workspace),
  )
  return {
    links: [{ rel: 'self', type: 'application/json', href: request.link('/ogc/collections') }],
    crs: [...new Set(layers.filter(({ details }) => details.kind === 'vector').flatMap(supportedCrs))],
    collections: await Promise.all(
      layers.map((layer) => describe(context, request, layer, { isBrief: true })),
    ),
  }
}

/** The granules of a mosaic: a list like that of items, each with a link to its file. */
const addGranuleRoutes = (app: App, context: HttpContext): void => {
  const config = { access: 'public' as const }
  const tags = ['coverages']
  const path = '/ogc/collections/:collectionId/granules'
  app.get(
    path,
    { config, schema: { tags, summary: 'Granules of a mosaic', params: Collection, querystring: Items } },
    async (request, reply) => sendGranules(context, await readableLayer(context, request), request, reply),
  )
  app.get(
    `${path}/:featureId`,
    { config, schema: { tags, summary: 'One granule', params: Item } },
    async (request, reply) => sendGranule(context, await readableLayer(context, request), request, reply),
  )
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/:featureId/file/:fileName`,
    config,
    schema: { tags, summary: "A granule's file, or a range of it", params: GranuleFile },
    handler: async (request, reply) =>
      sendGranuleFile(context, await readableLayer(context, request), request, reply),
  })
}

/** OGC API Features, core and CRS by reference (OGC 17-069r4 and 18-058r1), over every published layer. */
export const ogcArea: Area = (app, context) => {
  const config = { access: 'public' as const }
  const tags = ['features']
  app.get('/ogc', { config, schema: { tags, summary: 'Landing page' } }, landingPage)
  app.get('/ogc/conformance', { config, schema: { tags, summary: 'Conformance classes' } }, () => ({
    conformsTo,
  }))
  app.get('/ogc/collections', { config, schema: { tags, summary: 'Published layers' } }, (request) =>
    collections(context, request),
  )
  app.get(
    '/ogc/collections/:collectionId',
    { config, schema: { tags, summary: 'One layer', params: Collection } },
    async (request) => describe(context, request, await readableLayer(context, request), { isBrief: false }),
  )
  app.get(
    '/ogc/collections/:collectionId/schema',
    { config, schema: { tags, summary: 'Attributes of a layer', params: Collection } },
    async (request, reply) => {
      reply.header('content-type', 'application/schema+json; charset=utf-8')
      return toJsonSchema(request, requireFeatures(await readableLayer(context, request)))
    },
  )
  app.get(
    '/ogc/collections/:collectionId/items',
    { config, schema: { tags, summary: 'Features of a layer', params: Collection, querystring: Items } },
    async (request, reply) =>
      sendItems(context, requireFeatures(await readableLayer(context, request)), request, reply),
  )
  app.get(
    '/ogc/collections/:collectionId/items/:featureId',
    { config, schema: { tags, summary: 'One feature', params: Item } },
    async (request, reply) =>
      sendItem(context, requireFeatures(await readableLayer(context, request)), request, reply),
  )
  addGranuleRoutes(app, context)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/ogc/collections/:collectionId/file/:fileName',
    config,
    schema: { tags: ['coverages'], summary: 'The file of a coverage, or a range of it', params: File },
    handler: async (request, reply) =>
      sendCoverageFile(context, await readableLayer(context, request), request, reply),
  })
}
