import type { Static } from 'typebox'
import { Type } from 'typebox'
import { type Catalog, restoredParts, type VersionedLayer } from '../../../catalog/index.ts'
import { notFound } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireAnyMatch, requireMatch, sendEntity } from '../../etag.ts'
import { clientSignal } from '../../request-properties.ts'
import type { CatalogDeps, VersionDeps } from './catalog-deps.ts'
import { describeLayer } from './layers.ts'
import { RestoreBody, toVersionResponse, VersionBody, VersionList, VersionReply } from './version-response.ts'

export const tags = ['versions']
const params = Type.Object({ layer: Type.String({ description: '`<workspace>:<name>`' }) })
export const oneParams = Type.Object({
  ...params.properties,
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Number of a version' }),
})

export const listVersions = operation({
  summary: 'List the versions of a layer, newest first; staff see deleted layers too',
  description:
    'Each version with cause, user, time, rows, changes, and whether and how long it can be restored.',
  tags,
  params,
  answers: { 200: VersionList },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const of = await versionedLayer(catalog, request)
    return sendEntity(request, reply, await describeList(catalog, request, of))
  },
})

export const showVersion = operation({
  summary: 'Show one version of a layer',
  description:
    'Cause, user, time, rows, changes of one version, and whether and how long it can be restored.',
  tags,
  params: oneParams,
  answers: { 200: VersionReply },
  handle: async ({ catalog }: CatalogDeps, request, reply) =>
    sendEntity(request, reply, await describe(catalog, request)),
})

export const changeVersion = operation({
  summary: 'Pin a version to keep it until it is deleted, or unpin it',
  description: '`pinned: true` keeps the data of the version without a time limit.',
  tags,
  params: oneParams,
  body: VersionBody,
  answers: { 200: VersionReply },
  handle: async ({ catalog }: CatalogDeps, request) => {
    requireMatch(request, await describe(catalog, request))
    const of = await versionedLayer(catalog, request)
    const { version } = request.params
    const pinned = await catalog.versions.pin(of, version, request.body.pinned)
    return { version: toVersionResponse(request, await request.rights(), of, pinned) }
  },
})

export const restoreVersion = operation({
  summary: 'Restore a version of a layer as a new version; a deleted layer is published again',
  description:
    'Concurrent requests see either the current or the restored contents, never a mixture. `If-Match` accepts the `ETag` of the layer or of its versions.',
  tags,
  params: oneParams,
  body: RestoreBody,
  isBodyOptional: true,
  answers: { 200: VersionReply },
  handle: async ({ restores, catalog }: VersionDeps, request, reply) => {
    const of = await versionedLayer(catalog, request)
    const { versions } = catalog
    const isExpected = await requireAnyMatch(request, async () => [
      await describeList(catalog, request, of),
      ...(of.layer === undefined ? [] : [await describeLayer(catalog, request, of.layer)]),
    ])
    const version = await versions.get(of, request.params.version)
    const { what = restoredParts } = request.body
    const expected = isExpected ? of.layer?.version : undefined
    const options = { what, user: request.caller.name, expected }
    const made = await restores.restore(of, version, options, clientSignal(reply))
    const now = await versionedLayer(catalog, request)
    return { version: toVersionResponse(request, await request.rights(), now, await versions.get(now, made)) }
  },
})

export const removeVersion = operation({
  summary: 'Delete the data of a version, even if pinned; the current version cannot be deleted',
  description:
    'Frees the space of an earlier version. The version remains in the list but cannot be restored. Needs the role `admin`.',
  tags,
  params: oneParams,
  answers: { 200: empty() },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    requireMatch(request, await describe(catalog, request))
    const of = await versionedLayer(catalog, request)
    await catalog.versions.remove(of, request.params.version)
    return reply.code(200).send()
  },
})

async function describeList(catalog: Catalog, request: FastifyRequest, of: VersionedLayer) {
  const versions = await catalog.versions.list(of)
  const rights = await request.rights()
  return { versions: versions.map((one) => toVersionResponse(request, rights, of, one)) }
}

async function describe(
  catalog: Catalog,
  request: FastifyRequest<{ Params: Static<typeof oneParams> }>,
): Promise<{ version: ReturnType<typeof toVersionResponse> }> {
  const of = await versionedLayer(catalog, request)
  const version = await catalog.versions.get(of, request.params.version)
  return { version: toVersionResponse(request, await request.rights(), of, version) }
}

/** The layer of the path, or what was deleted under that name, which only those who may manage the workspace see. */
export async function versionedLayer(
  { layers, versions, workspaces }: Catalog,
  request: FastifyRequest<{ Params: { layer: string } }>,
): Promise<VersionedLayer> {
  const { layer: text } = request.params
  const rights = await request.rights()
  const layer = await layers.findNamed(text)
  if (layer !== undefined && rights.can('read', layer)) {
    request.usedLayer = layer
    // Also detects changes by other programs.
    const { version } = await layers.versionOf(layer)
    return { ...layer, layer: { ...layer, version } }
  }
  const colon = text.indexOf(':')
  const workspace = colon < 0 ? await workspaces.findDefaultName() : text.slice(0, colon)
  const deleted =
    layer !== undefined || workspace === undefined || !rights.can('manage', { workspace })
      ? undefined
      : await versions.findDeleted(workspace, text.slice(colon + 1))
  if (deleted === undefined) throw notFound('unknown-layer', `Layer "${text}" does not exist`)
  return deleted
}
