import type { Static } from 'typebox'
import type { Catalog, LayerRecord } from '../../catalog/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { featureEtag, featureStates } from '../etag.ts'
import { clientSignal } from '../request-properties.ts'
import { readableLayer } from './about-layer.ts'
import { itemsPath } from './items.ts'
import { writtenCrs } from './items-query.ts'
import type { FeatureEdits, OgcDeps } from './ogc-deps.ts'
import { CollectionParams, Feature, FeatureAnswer, FeaturePatch, ItemParams } from './schemas.ts'

type OgcEditsDeps = Pick<OgcDeps, 'catalog' | 'edits'>

/** Media types of a feature, and of a change, in requests. */
const featureTypes = ['application/geo+json', 'application/json']
const patchTypes = ['application/merge-patch+json', 'application/json']
const geoJson = 'application/geo+json; charset=utf-8'

const marks = { tags: ['features'] }
const sent = {
  description:
    'Coordinates are in CRS84 unless `Content-Crs` names a CRS that the collection lists. Edits of one user within 15 minutes are one version of the layer.',
}

type EditKind = 'create' | 'replace' | 'update' | 'delete'

/** Adding a feature (OGC 20-002, /req/create-replace-delete/post-op to post-response). */
export const createFeature = operation({
  ...marks,
  ...sent,
  summary: 'Add a feature to a layer',
  params: CollectionParams,
  idempotent: true,
  reported: { body: Feature },
  consumes: featureTypes,
  answers: { 201: FeatureAnswer },
  handle: async ({ catalog, edits }: OgcEditsDeps, request, reply) => {
    const layer = await editableLayer(catalog, edits, request, reply)
    const crs = contentCrs(layer, request)
    const { featureId, json } = await edit(edits, layer, 'create', request, reply)
    reply.code(201).header('location', request.link(`${itemsPath(layer)}/${encodeURIComponent(featureId)}`))
    reply.header('content-type', geoJson).header('content-crs', `<${crs.uri}>`)
    return reply.send(json)
  },
})

/** Replacing a feature (/req/create-replace-delete/put-op to put-rid-exception). */
export const replaceFeature = operation({
  ...marks,
  ...sent,
  summary: 'Replace a feature: absent properties become empty',
  params: ItemParams,
  reported: { body: Feature },
  consumes: featureTypes,
  answers: { 204: empty() },
  handle: ({ catalog, edits }: OgcEditsDeps, request, reply) =>
    change(catalog, edits, 'replace', request, reply),
})

/** Changing what is named of a feature (/req/update, and RFC 7396 by /req/features/update-json-merge-patch). */
export const updateFeature = operation({
  ...marks,
  ...sent,
  summary: 'Change some properties of a feature with a JSON Merge Patch',
  params: ItemParams,
  reported: { body: FeaturePatch },
  consumes: patchTypes,
  answers: { 204: empty() },
  handle: ({ catalog, edits }: OgcEditsDeps, request, reply) =>
    change(catalog, edits, 'update', request, reply),
})

/** Removing a feature (/req/create-replace-delete/delete-op and delete-response). */
export const deleteFeature = operation({
  ...marks,
  summary: 'Remove a feature',
  description:
    'Removes the feature and records a version of the layer. With `If-Match`, the response is 412 if the feature was changed meanwhile.',
  params: ItemParams,
  answers: { 204: empty() },
  handle: ({ catalog, edits }: OgcEditsDeps, request, reply) =>
    change(catalog, edits, 'delete', request, reply),
})

/**
 * Lists the methods that the caller may use on features of a layer
 * (/req/create-replace-delete/options-response).
 */
export const describeFeatures = operation({
  ...marks,
  summary: 'Methods that the caller may use on the features of a layer',
  description: '`Allow` names the methods that the caller may use on the features of the layer.',
  params: CollectionParams,
  answers: { 200: empty('The header `Allow` lists them') },
  handle: async ({ catalog, edits }: OgcEditsDeps, request, reply) => {
    const layer = await readableLayer(catalog, request)
    const mayEdit = await isEditable(edits, layer, request)
    if (mayEdit) reply.header('accept-post', featureTypes.join(', '))
    return sendMethods(reply, mayEdit ? ['GET', 'HEAD', 'OPTIONS', 'POST'] : readMethods)
  },
})

export const describeFeature = operation({
  ...marks,
  summary: 'Methods that the caller may use on a feature',
  description: '`Allow` names the methods that the caller may use on the feature.',
  params: ItemParams,
  answers: { 200: empty('The header `Allow` lists them') },
  handle: async ({ catalog, edits }: OgcEditsDeps, request, reply) => {
    const layer = await readableLayer(catalog, request)
    const mayEdit = await isEditable(edits, layer, request)
    if (mayEdit) reply.header('accept-patch', patchTypes.join(', '))
    return sendMethods(reply, mayEdit ? ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'] : readMethods)
  },
})

const readMethods = ['GET', 'HEAD', 'OPTIONS']

function sendMethods(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  keepPrivately(reply)
  return reply.code(200).header('allow', methods.join(', ')).send()
}

async function isEditable(
  edits: FeatureEdits,
  layer: LayerRecord,
  request: FastifyRequest,
): Promise<boolean> {
  return (await request.rights()).can('edit', layer) && (await edits.whyNot(layer)) === undefined
}

/**
 * Returns the layer, or throws `Failure` (`notAllowed`) with the reason if its features cannot be changed.
 */
async function editableLayer(
  catalog: Catalog,
  edits: FeatureEdits,
  request: FastifyRequest<{ Params: { collectionId: string } }>,
  reply: FastifyReply,
): Promise<LayerRecord> {
  const layer = await readableLayer(catalog, request)
  const why = await edits.whyNot(layer)
  if (why === undefined) return layer
  reply.header('allow', readMethods.join(', '))
  throw new Failure(
    'notAllowed',
    'layer-not-editable',
    `The features of "${request.params.collectionId}" cannot be changed: ${why}`,
  )
}

async function change(
  catalog: Catalog,
  edits: FeatureEdits,
  kind: Exclude<EditKind, 'create'>,
  request: FastifyRequest<{ Params: Static<typeof ItemParams> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const layer = await editableLayer(catalog, edits, request, reply)
  await edit(edits, layer, kind, request, reply, request.params.featureId)
  return reply.code(204).send()
}

async function edit(
  edits: FeatureEdits,
  layer: LayerRecord,
  kind: EditKind,
  request: FastifyRequest,
  reply: FastifyReply,
  featureId?: string,
) {
  if (kind !== 'delete') requireMediaType(request, kind === 'update' ? patchTypes : featureTypes)
  const { body, headers, caller } = request
  const { srs, isYx } = contentCrs(layer, request)
  const ifMatch = headers['if-match'] === undefined ? undefined : featureStates(headers['if-match'])
  const options = {
    kind,
    written: { srs, isYx },
    body: Buffer.isBuffer(body) && kind !== 'delete' ? new Uint8Array(body) : undefined,
    crs: crsOf(layer),
    ifMatch,
    returnsFeature: kind === 'create',
    featureId,
    user: caller.name,
  }
  const made = await edits.edit(layer, options, clientSignal(reply))
  if (made.tag !== undefined) reply.header('etag', featureEtag(made.tag, made.version))
  return made
}

/** Returns the declared CRS of the layer, which features in responses use too. */
function crsOf({ details: { schema, srs, crs } }: LayerRecord): CrsDeclaration | string | undefined {
  return schema.geometry === undefined ? undefined : (srs ?? crs)
}

/** The CRS of what is sent (/req/features/default-crs and crs-other-crs). */
function contentCrs(layer: LayerRecord, { headers }: FastifyRequest) {
  const given = headers['content-crs']
  return writtenCrs(layer, Array.isArray(given) ? given.join(', ') : given)
}

function requireMediaType({ headers }: FastifyRequest, known: readonly string[]): void {
  const type = (headers['content-type'] ?? '').split(';', 1).join().trim().toLowerCase()
  if (known.includes(type)) return
  const text = `A body of type "${type.slice(0, 100)}" is not accepted, only ${known.join(' or ')}`
  throw new Failure('mediaType', 'unsupported-media-type', text)
}
