import { createHash } from 'node:crypto'
import { hasRole } from '../../accounts/caller.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { Failure, notFound } from '../../lib/errors.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { tags } from '../etag.ts'
import { ownMaxAgeSeconds } from '../public-copies.ts'
import { collectionId } from './collection.ts'
import type { OgcParts } from './ogc-parts.ts'
import { variantOf } from './representations.ts'

type AboutCollection = FastifyRequest<{ Params: { collectionId: string } }>

/** The layer that `<workspace>:<layer>` names; the anonymous do not learn whether one that is not public exists. */
export async function readableLayer(
  { catalog: { layers } }: OgcParts,
  request: AboutCollection,
): Promise<LayerRecord> {
  const { collectionId: id } = request.params
  const colon = Math.max(id.indexOf(':'), 0)
  const layer = await layers.find(id.slice(0, colon), id.slice(colon + 1))
  const isUser = hasRole(request.caller, 'user')
  if (layer !== undefined && (isUser || (await layers.isPublic(layer)))) {
    request.usedLayer = layer
    return layer
  }
  if (isUser) throw notFound('unknown-collection', `Collection "${id}" does not exist`)
  throw new Failure(
    'unauthenticated',
    'login-required',
    'This collection is not public: credentials are needed',
  )
}

/** The layers that the caller may read. */
export async function readableLayers(
  { catalog: { layers } }: OgcParts,
  { caller }: FastifyRequest,
): Promise<LayerRecord[]> {
  const all = await layers.list()
  return hasRole(caller, 'user') ? all : layers.onlyPublic(all)
}

/** Refuses what only collections of features have. */
export function requireFeatures(layer: LayerRecord): LayerRecord {
  if (layer.details.kind === 'vector') return layer
  throw notFound(
    'no-features',
    `Collection "${collectionId(layer)}" is a coverage and has no items: its link "enclosure" leads to the file, of a mosaic "granules" to those`,
  )
}

/** Answers about a layer that the caller may read; nothing where the client has the answer already. */
export async function aboutLayer(
  parts: OgcParts,
  request: AboutCollection,
  reply: FastifyReply,
  answer: (layer: LayerRecord) => unknown,
): Promise<unknown> {
  const layer = await readableLayer(parts, request)
  if (await isKept(parts, layer, request, reply)) return reply.send()
  return answer(layer)
}

/** The same about one feature, which is known by a tag of its own: its state, which others may name that change it. */
export async function aboutOneFeature(
  parts: OgcParts,
  request: AboutCollection,
  reply: FastifyReply,
  answer: (layer: LayerRecord) => unknown,
): Promise<unknown> {
  const layer = await readableLayer(parts, request)
  await sayHowLong(parts, layer, request, reply)
  return answer(layer)
}

/** Says how long an answer about a layer may be kept. */
async function sayHowLong(
  { catalog: { layers }, sharedMaxAgeSeconds }: OgcParts,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const isPublic = request.caller.role === 'anonymous' && (await layers.isPublic(layer))
  if (isPublic)
    reply.header('cache-control', `public, max-age=${ownMaxAgeSeconds}, s-maxage=${sharedMaxAgeSeconds}`)
  else keepPrivately(reply)
}

/**
 * Says how long an answer about a layer may be kept, by the layer's version; true where the client has it already: then
 * 304 is set, and there is nothing more to send. `ETag` is weak, since answers tell when they were made.
 */
async function isKept(
  parts: OgcParts,
  layer: LayerRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const {
    catalog: { layers },
    version: program,
  } = parts
  const { version, isCurrent } = await layers.versionOf(layer)
  await sayHowLong(parts, layer, request, reply)
  if (!isCurrent) return false
  const meaning = [
    ...[program, layer.id, version, layer.updatedAt, request.link(request.url)],
    ...variantOf(request),
  ]
  const digest = createHash('sha256').update(JSON.stringify(meaning)).digest('base64url').slice(0, 22)
  reply.header('etag', `W/"${digest}"`)
  const wanted = tags(request.headers['if-none-match'])
  if (!wanted.includes(`"${digest}"`) && !wanted.includes('*')) return false
  reply.code(304)
  return true
}
