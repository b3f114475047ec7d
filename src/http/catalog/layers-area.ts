import { Type } from 'typebox'
import { hasRole } from '../../accounts/caller.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { Area, FastifyRequest, HttpContext } from '../app-types.ts'
import { loginNeeded } from '../auth/guard.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { LayerBody, layerPath, RecurseQuery, toWireLayer } from './wire.ts'

const tags = ['layers']
const Params = Type.Object({ layer: Type.String({ description: '`<workspace>:<name>`' }) })
const WorkspaceParams = Type.Object({ workspace: Type.String() })
const item = '/rest/layers/:layer'

/** `/rest/layers[/<ws>:<name>]` and `/rest/workspaces/<ws>/layers`. */
export const layersArea: Area = (app, context) => {
  const { catalog } = context

  app.get(
    '/rest/layers',
    {
      config: { access: 'public', isPublicRead: true },
      schema: { tags, summary: 'List layers; without a login those that are public' },
    },
    async (request) => {
      const layers = await readableLayers(catalog, request, await catalog.layers.list())
      if (layers.length === 0 && !hasRole(request.caller, 'user')) throw loginNeeded()
      return {
        layers: {
          layer: layers.map((layer) => ({
            name: `${layer.workspace}:${layer.name}`,
            href: request.link(layerPath(layer)),
          })),
        },
      }
    },
  )

  app.get(
    '/rest/workspaces/:workspace/layers',
    {
      config: { access: 'public', isPublicRead: true },
      schema: { tags, summary: 'List the layers of a workspace', params: WorkspaceParams },
    },
    async (request) => {
      const layers = await layersOfWorkspace(catalog, request, request.params.workspace)
      return {
        layers: {
          layer: layers.map((layer) => ({ name: layer.name, href: request.link(layerPath(layer)) })),
        },
      }
    },
  )

  app.get(
    item,
    { config: { access: 'layer' }, schema: { tags, summary: 'One layer', params: Params } },
    async (request, reply) =>
      sendEntity(request, reply, await describe(context, request, await getNamedLayer(context, request))),
  )

  app.put(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Change a layer', params: Params, body: LayerBody },
    },
    async (request) => {
      const layer = await getNamedLayer(context, request)
      requireMatch(request, await describe(context, request, layer))
      await changeLayer(catalog, layer, request.body.layer)
      return describe(context, request, await getNamedLayer(context, request))
    },
  )

  app.post(
    `${item}/refresh`,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Look at once whether somebody else has changed the data', params: Params },
    },
    async (request) => {
      const layer = await getNamedLayer(context, request)
      await catalog.layers.refreshVersion(layer)
      return describe(context, request, await getNamedLayer(context, request))
    },
  )

  app.delete(
    item,
    {
      config: { access: 'staff' },
      schema: {
        tags,
        summary: 'Unpublish a layer; recurse drops its table, or the store of a coverage',
        params: Params,
        querystring: RecurseQuery,
      },
    },
    async (request, reply) => {
      const layer = await getNamedLayer(context, request)
      requireMatch(request, await describe(context, request, layer))
      await catalog.layers.delete(layer, { recurse: request.query.recurse ?? false })
      return reply.code(200).send()
    },
  )
}

async function readableLayers(
  { layers: all }: Catalog,
  { caller }: FastifyRequest,
  layers: LayerRecord[],
): Promise<LayerRecord[]> {
  return hasRole(caller, 'user') ? layers : all.onlyPublic(layers)
}

/** A workspace that is not public and has no layer that is does not show whether it exists. */
async function layersOfWorkspace(
  catalog: Catalog,
  request: FastifyRequest,
  workspace: string,
): Promise<LayerRecord[]> {
  const layers = await readableLayers(catalog, request, await catalog.layers.list({ workspace }))
  if (hasRole(request.caller, 'user')) await catalog.workspaces.get(workspace)
  else if (layers.length === 0 && !(await catalog.workspaces.find(workspace))?.isPublic) throw loginNeeded()
  return layers
}

async function describe(
  { catalog: { layers, styles } }: HttpContext,
  request: FastifyRequest,
  layer: LayerRecord,
): Promise<object> {
  const { version } = await layers.versionOf(layer)
  const style = await styles.resolve(layer.workspace, layer.details.style)
  return toWireLayer(request, { ...layer, version }, await layers.storeOf(layer), style)
}

/** The layer of the path by `<workspace>:<name>`; one that the caller may not read is as good as none. */
async function getNamedLayer(
  { catalog: { layers } }: HttpContext,
  request: FastifyRequest,
): Promise<LayerRecord> {
  const { layer: text } = request.params as { layer: string }
  const layer = await layers.findNamed(text)
  const isReadable =
    layer !== undefined && (hasRole(request.caller, 'user') || (await layers.isPublic(layer)))
  if (!isReadable) throw notFound('unknown-layer', `Layer "${text}" does not exist`)
  request.usedLayer = layer
  return layer
}

type StyleReference = string | { name: string }

interface WantedLayer {
  name?: string
  title?: string
  abstract?: string
  description?: string
  defaultStyle?: StyleReference
  style?: StyleReference
  public?: boolean | 'workspace'
}

async function changeLayer(catalog: Catalog, layer: LayerRecord, wanted: WantedLayer): Promise<void> {
  const { name, title, abstract, description, public: isPublic } = wanted
  if (name !== undefined && name !== layer.name && name !== `${layer.workspace}:${layer.name}`)
    throw invalid('invalid-body', `The name of layer "${layer.name}" cannot be changed`)
  const reference = wanted.defaultStyle ?? wanted.style ?? layer.details.style
  const given = typeof reference === 'string' ? reference : reference.name
  const style = given.replace(`${layer.workspace}:`, '')
  await catalog.layers.change(layer, { title, abstract, description, style, isPublic })
}
