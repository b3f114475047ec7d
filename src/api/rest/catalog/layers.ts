import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Catalog, LayerChange, LayerRecord } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { loginNeeded } from '../../app-types.ts'
import { copiesLeft } from '../../caching.ts'
import { empty } from '../../description.ts'
import { readDoi } from '../../doi.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import type { CatalogDeps, PublicAccessDeps } from './catalog-deps.ts'
import { LayerBody, LayerList, LayerReply, toLayerResponse } from './layer-response.ts'
import { layerPath, RecurseQuery, unknownWorkspace, WorkspaceParams } from './paths.ts'

const tags = ['layers']
const params = Type.Object({ layer: Type.String({ description: '`<workspace>:<name>`' }) })

async function readable(
  catalog: Catalog,
  request: FastifyRequest,
  filter: { workspace?: string } = {},
): Promise<readonly LayerRecord[]> {
  const layers = await catalog.layers.list(filter)
  return (await request.rights()).readable(layers)
}

export const listLayers = operation({
  summary: 'List layers; without a login those that are public',
  description: 'Names and links of the layers that the caller may read, by name.',
  tags,
  isPublicRead: true,
  answers: { 200: LayerList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const layers = await readable(catalog, request)
    if (layers.length === 0 && request.caller.role === 'anonymous') throw loginNeeded()
    const layer = layers.map((one) => ({
      name: `${one.workspace}:${one.name}`,
      href: request.link(layerPath(one)),
    }))
    return { layers: { layer } }
  },
})

export const listLayersOfWorkspace = operation({
  summary: 'List the layers of a workspace',
  description: 'Names and links of the layers of a workspace that the caller may read, by name.',
  tags,
  isPublicRead: true,
  params: WorkspaceParams,
  answers: { 200: LayerList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const { workspace } = request.params
    const { workspaces } = catalog
    const layers = await readable(catalog, request, { workspace })
    const rights = await request.rights()
    const isKnown = rights.can('read', { workspace }) || rights.canWithin('read', workspace)
    // A workspace in which the caller may read nothing does not show whether it exists.
    if (request.caller.role !== 'anonymous') {
      if (!isKnown && layers.length === 0) throw unknownWorkspace(workspace)
      await workspaces.get(workspace)
    } else if (layers.length === 0 && !isKnown) throw loginNeeded()
    const layer = layers.map((one) => ({ name: one.name, href: request.link(layerPath(one)) }))
    return { layers: { layer } }
  },
})

export const showLayer = operation({
  summary: 'Show one layer',
  description:
    'Title, texts, attributes, bounds, CRS, style, store and version of a layer. `ETag` names the state for a later `If-Match`.',
  tags,
  params,
  answers: { 200: LayerReply },
  handle: async ({ catalog }: CatalogDeps, request, reply) =>
    sendEntity(request, reply, await describeLayer(catalog, request, await getNamedLayer(catalog, request))),
})

export const changeLayer = operation({
  summary: 'Change a layer',
  description:
    'Changes the members in the body: texts, keywords, attribution, licence, contact, owner, citation, DOI, styles, and public access. Does not change the data.',
  tags,
  params,
  body: LayerBody,
  answers: { 200: LayerReply },
  handle: async ({ sharedMaxAgeSeconds, catalog, rules }: PublicAccessDeps, request) => {
    const layer = await getNamedLayer(catalog, request)
    requireMatch(request, await describeLayer(catalog, request, layer))
    const wasPublic = (await rules.now()).isOpenToEveryone(layer)
    await catalog.layers.change(layer, readLayerBody(layer, request.body.layer))
    const changed = await getNamedLayer(catalog, request)
    const { layer: shown } = await describeLayer(catalog, request, changed)
    const isPublic = (await rules.now()).isOpenToEveryone(changed)
    return { layer: { ...shown, ...copiesLeft(wasPublic, isPublic, { sharedMaxAgeSeconds }) } }
  },
})

export const refreshLayer = operation({
  summary: 'Check now if another program has changed the data',
  description:
    'Compares the data with their last known state, and records a new version if another program has changed them.',
  tags,
  params,
  answers: { 200: LayerReply },
  handle: async ({ catalog }: CatalogDeps, request) => {
    await catalog.layers.refreshVersion(await getNamedLayer(catalog, request))
    return describeLayer(catalog, request, await getNamedLayer(catalog, request))
  },
})

export const deleteLayer = operation({
  summary: 'Unpublish a layer; recurse drops its table, or the store of a coverage',
  description:
    'Unpublishes the layer. Earlier versions can be restored for `TERRANE_KEEP_VERSIONS` days. Without `?recurse=true`, the table or file remains.',
  tags,
  params,
  query: RecurseQuery,
  answers: { 200: empty() },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const layer = await getNamedLayer(catalog, request)
    requireMatch(request, await describeLayer(catalog, request, layer))
    await catalog.layers.delete(layer, { recurse: request.query.recurse ?? false })
    return reply.code(200).send()
  },
})

/** Returns the response for a layer. */
export async function describeLayer(
  { layers, styles }: Catalog,
  request: FastifyRequest,
  layer: LayerRecord,
): Promise<ReturnType<typeof toLayerResponse>> {
  const { version } = await layers.versionOf(layer)
  const style = await styles.resolve(layer.workspace, layer.details.style)
  return toLayerResponse(request, { ...layer, version }, await layers.storeOf(layer), style)
}

/**
 * Returns the layer named `<workspace>:<name>` in the path; a layer that the caller may not read counts as
 * missing.
 */
async function getNamedLayer(
  { layers }: Catalog,
  request: FastifyRequest<{ Params: Static<typeof params> }>,
): Promise<LayerRecord> {
  const { layer: text } = request.params
  const layer = await layers.findNamed(text)
  if (layer === undefined || !(await request.rights()).can('read', layer))
    throw notFound('unknown-layer', `Layer "${text}" does not exist`)
  request.usedLayer = layer
  return layer
}

/** Returns the change in a body; a style may be named with its workspace. */
function readLayerBody(layer: LayerRecord, requested: Static<typeof LayerBody>['layer']): LayerChange {
  const { name, title, abstract, description, keywords, public: isPublic } = requested
  const { attribution, licence, contact, owner, citation, translations, managed, altered } = requested
  if (name !== undefined && name !== layer.name && name !== `${layer.workspace}:${layer.name}`)
    throw invalid('invalid-body', `The name of layer "${layer.name}" cannot be changed`)
  const reference = requested.defaultStyle ?? requested.style ?? layer.details.style
  const nameOf = (one: string | { name: string }): string =>
    (typeof one === 'string' ? one : one.name).replace(`${layer.workspace}:`, '')
  const style = nameOf(reference)
  const styles = requested.styles
    ?.map(nameOf)
    .filter((name, at, all) => name !== style && all.indexOf(name) === at)
  const texts = { title, abstract, description, keywords, attribution, licence, contact, owner, citation }
  const doi = requested.doi && readDoi(requested.doi)
  return { ...texts, doi, translations, style, styles, isPublic, managed, altered }
}
