import { Type } from 'typebox'
import { hasRole } from '../../accounts/caller.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import type { App, ContextArea, FastifyReply, FastifyRequest, HttpContext } from '../app-types.ts'
import { answerKept } from '../caching.ts'
import { apiMediaType, describeFeaturesApi } from './api-description.ts'
import { supportedCrs, toCollection, toJsonSchema } from './collection.ts'
import { toCoverage } from './coverage.ts'
import { requireFeatures, sendCoverageFile } from './coverage-file.ts'
import { sendGranule, sendGranuleFile, sendGranules } from './granules.ts'
import { sendItem, sendItems } from './items.ts'
import { defaultLimit, maxLimit } from './items-query.ts'
import { KeptTimes } from './kept-times.ts'
import { conformsTo, landingPage } from './landing-page.ts'
import { readableLayer, readableLayers } from './readable-layers.ts'

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
const ItemQuery = Type.Object({ crs: Items.properties.crs })
const Collection = Type.Object({ collectionId: Type.String() })
const File = Type.Object({ collectionId: Type.String(), fileName: Type.String() })
const Item = Type.Object({ collectionId: Type.String(), featureId: Type.String() })
const GranuleFile = Type.Object({ ...Item.properties, fileName: Type.String() })

interface OgcContext extends HttpContext {
  times: KeptTimes
}

async function describe(
  { catalog, times }: OgcContext,
  request: FastifyRequest,
  layer: LayerRecord,
  options: { isBrief: boolean },
): Promise<object> {
  if (layer.details.kind === 'vector') return toCollection(request, layer, await times.of(layer))
  return toCoverage(request, layer, await catalog.layers.storeOf(layer), options)
}

const signInHint =
  'No collection is public: with a login (user name and password, or a token) there may be more to see'

async function collections(context: OgcContext, request: FastifyRequest): Promise<object> {
  const layers = await readableLayers(context, request)
  const isHintDue = layers.length === 0 && !hasRole(request.caller, 'user')
  return {
    links: [{ rel: 'self', type: 'application/json', href: request.link('/ogc/collections') }],
    ...(isHintDue ? { description: signInHint } : {}),
    crs: [...new Set(layers.filter(({ details }) => details.kind === 'vector').flatMap(supportedCrs))],
    collections: await Promise.all(
      layers.map((layer) => describe(context, request, layer, { isBrief: true })),
    ),
  }
}

type Send = (layer: LayerRecord, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Answers about a layer that the caller may read; nothing where the client has the answer already. */
function aboutLayer(context: HttpContext, send: Send) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const layer = await readableLayer(context, request)
    if (await answerKept(context, layer, request, reply)) return reply.send()
    return send(layer, request, reply)
  }
}

const config = { access: 'public', isPublicRead: true } as const

/** The granules of a mosaic: a list like that of items, each with a link to its file. */
const addGranuleRoutes = (app: App, context: HttpContext): void => {
  const tags = ['coverages']
  const path = '/ogc/collections/:collectionId/granules'
  app.route({
    method: ['GET', 'HEAD'],
    url: path,
    config,
    schema: { tags, summary: 'Granules of a mosaic', params: Collection, querystring: Items },
    handler: aboutLayer(context, (layer, request, reply) => sendGranules(context, layer, request, reply)),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/:featureId`,
    config,
    schema: { tags, summary: 'One granule', params: Item, querystring: ItemQuery },
    handler: aboutLayer(context, (layer, request, reply) => sendGranule(context, layer, request, reply)),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/:featureId/file/:fileName`,
    config,
    schema: { tags, summary: "A granule's file, or a range of it", params: GranuleFile },
    handler: async (request, reply) =>
      sendGranuleFile(context, await readableLayer(context, request), request, reply),
  })
}

const addFeatureRoutes = (app: App, context: OgcContext): void => {
  const tags = ['features']
  const path = '/ogc/collections/:collectionId'
  app.get(
    path,
    { config, schema: { tags, summary: 'One layer', params: Collection } },
    aboutLayer(context, (layer, request) => describe(context, request, layer, { isBrief: false })),
  )
  app.get(
    `${path}/schema`,
    { config, schema: { tags, summary: 'Attributes of a layer', params: Collection } },
    aboutLayer(context, async (layer, request, reply) => {
      reply.header('content-type', 'application/schema+json; charset=utf-8')
      return toJsonSchema(request, requireFeatures(layer))
    }),
  )
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/items`,
    config,
    schema: { tags, summary: 'Features of a layer', params: Collection, querystring: Items },
    handler: aboutLayer(context, (layer, request, reply) =>
      sendItems(context, requireFeatures(layer), request, reply),
    ),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/items/:featureId`,
    config,
    schema: { tags, summary: 'One feature', params: Item, querystring: ItemQuery },
    handler: aboutLayer(context, (layer, request, reply) =>
      sendItem(context, requireFeatures(layer), request, reply),
    ),
  })
}

/** OGC API Features, core and CRS by reference (OGC 17-069r4 and 18-058r1), over every published layer. */
export const ogcArea: ContextArea = (app, parts) => {
  const context: OgcContext = { ...parts, times: new KeptTimes(parts.catalog) }
  const tags = ['features']
  app.get('/ogc', { config, schema: { tags, summary: 'Landing page' } }, landingPage)
  app.get('/ogc/conformance', { config, schema: { tags, summary: 'Conformance classes' } }, () => ({
    conformsTo,
  }))
  app.get(
    '/ogc/api',
    { config, schema: { tags, summary: 'This part of the interface as OpenAPI 3.0' } },
    (request, reply) => {
      // As bytes: to a text a parameter would be added, and clients compare the type to the letter.
      const text = JSON.stringify(describeFeaturesApi(request, context.version))
      return reply.header('content-type', apiMediaType).send(Buffer.from(text))
    },
  )
  app.get('/ogc/collections', { config, schema: { tags, summary: 'Published layers' } }, (request) =>
    collections(context, request),
  )
  addFeatureRoutes(app, context)
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
