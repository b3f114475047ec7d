import { createHash } from 'node:crypto'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { forbidden, loginNeeded } from '../app-types.ts'
import { keepPrivately, ownMaxAgeSeconds } from '../caching.ts'
import { entityTags } from '../etag.ts'
import { collectionId } from './collection.ts'
import type { CatalogPageDeps } from './ogc-deps.ts'
import { variantOf } from './representations.ts'

type AboutCollection = FastifyRequest<{ Params: { collectionId: string } }>

/**
 * Returns the layer `<workspace>:<layer>`; anonymous users cannot find out whether a private layer exists.
 */
export async function readableLayer(catalog: Catalog, request: AboutCollection): Promise<LayerRecord> {
  const layer = await readableCollection(catalog, request, request.params.collectionId)
  request.usedLayer = layer
  return layer
}

/** The same for the id of a collection that is not in the path. */
export async function readableCollection(
  { layers }: Catalog,
  request: FastifyRequest,
  id: string,
): Promise<LayerRecord> {
  const colon = Math.max(id.indexOf(':'), 0)
  const layer = await layers.find(id.slice(0, colon), id.slice(colon + 1))
  if (layer !== undefined && (await request.rights()).can('read', layer)) return layer
  if (request.caller.role !== 'anonymous')
    throw notFound('unknown-collection', `Collection "${id}" does not exist`)
  throw new Failure(
    'unauthenticated',
    'login-required',
    'This collection is not public: credentials are needed',
  )
}

/** The same for files of the whole layer. Throws `Failure` (`forbidden`) if the caller may only read it. */
export async function downloadableLayer(catalog: Catalog, request: AboutCollection): Promise<LayerRecord> {
  const layer = await readableLayer(catalog, request)
  if ((await request.rights()).can('download', layer)) return layer
  if (request.caller.role === 'anonymous') throw loginNeeded()
  throw forbidden(request.caller, 'download', `layer "${layer.workspace}:${layer.name}"`)
}

/** The layers that the caller may read. */
export async function readableLayers(
  { layers }: Catalog,
  request: FastifyRequest,
): Promise<readonly LayerRecord[]> {
  return (await request.rights()).readable(await layers.list())
}

/** Refuses what only collections of features have. */
export function requireFeatures(layer: LayerRecord): LayerRecord {
  if (layer.details.kind === 'vector') return layer
  throw notFound(
    'no-features',
    `Collection "${collectionId(layer)}" is a coverage and has no items: follow its link "enclosure" to the file, or "granules" for a mosaic`,
  )
}

/** Responds about a layer that the caller may read; sends nothing if the client has the response already. */
export async function aboutLayer(
  deps: CatalogPageDeps,
  request: AboutCollection,
  reply: FastifyReply,
  answer: (layer: LayerRecord) => unknown,
): Promise<unknown> {
  const layer = await readableLayer(deps.catalog, request)
  if (await isKept(deps, layer, request, reply)) return reply.send()
  return answer(layer)
}

/**
 * The same for one feature, which has an `ETag` of its own for its state, which editing clients send back.
 */
export async function aboutOneFeature(
  catalog: Catalog,
  sharedMaxAgeSeconds: number,
  request: AboutCollection,
  reply: FastifyReply,
  answer: (layer: LayerRecord) => unknown,
): Promise<unknown> {
  const layer = await readableLayer(catalog, request)
  setCacheControl(sharedMaxAgeSeconds, request, reply)
  return answer(layer)
}

/** Sets how long a response about a layer may be cached. */
function setCacheControl(sharedMaxAgeSeconds: number, request: FastifyRequest, reply: FastifyReply): void {
  // Anonymous callers read only what everyone may read.
  if (request.caller.role === 'anonymous')
    reply.header('cache-control', `public, max-age=${ownMaxAgeSeconds}, s-maxage=${sharedMaxAgeSeconds}`)
  else keepPrivately(reply)
}

/**
 * Sets how long a response about a layer may be cached, by the layer's version; returns true if the client
 * has it already: then the status is 304 and nothing must be sent. `ETag` is weak, since responses contain
 * the time of creation.
 */
async function isKept(
  { catalog, version: program, sharedMaxAgeSeconds }: CatalogPageDeps,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const { layers } = catalog
  const { version, isCurrent } = await layers.versionOf(layer)
  setCacheControl(sharedMaxAgeSeconds, request, reply)
  if (!isCurrent) return false
  const meaning = [
    program,
    layer.id,
    version,
    layer.updatedAt,
    request.link(request.url),
    ...variantOf(request),
  ]
  const digest = createHash('sha256').update(JSON.stringify(meaning)).digest('base64url').slice(0, 22)
  reply.header('etag', `W/"${digest}"`)
  const requested = entityTags(request.headers['if-none-match'])
  if (!requested.includes(`"${digest}"`) && !requested.includes('*')) return false
  reply.code(304)
  return true
}
