import { Type } from 'typebox'
import { findNamedLayer, listLayers, updateLayer } from '../../catalog/layers.ts'
import { isPublicLayer, publicLayers } from '../../catalog/publicity.ts'
import { unpublishLayer } from '../../catalog/publish.ts'
import type { LayerRecord } from '../../catalog/records.ts'
import { getStoreById } from '../../catalog/stores.ts'
import { resolveStyle } from '../../catalog/styles.ts'
import { findWorkspace, getWorkspace } from '../../catalog/workspaces.ts'
import type { Queryable } from '../../db/connection.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import { mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { Area, FastifyRequest, HttpContext } from '../app-types.ts'
import { hasRole } from '../auth/access.ts'
import { loginNeeded } from '../auth/guard.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { LayerBody, layerPath, RecurseQuery, toWireLayer } from './wire.ts'

const tags = ['layers']
const Params = Type.Object({ layer: Type.String({ description: '`<workspace>:<name>`' }) })
const WorkspaceParams = Type.Object({ workspace: Type.String() })
const item = '/rest/layers/:layer'

/** `/rest/layers[/<ws>:<name>]` and `/rest/workspaces/<ws>/layers`. */
export const layersArea: Area = (app, context) => {
  const db = context.database.kysely

  app.get(
    '/rest/layers',
    {
      config: { access: 'public', isPublicRead: true },
      schema: { tags, summary: 'List layers; without a login those that are public' },
    },
    async (request) => {
      const layers = await readableLayers(db, request, await listLayers(db))
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
      const layers = await layersOfWorkspace(db, request, request.params.workspace)
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
      await changeLayer(context, layer, request.body.layer)
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
      await context.catalog.versions.refresh(layer)
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
      await deleteLayer(context, layer, request.query.recurse ?? false)
      return reply.code(200).send()
    },
  )
}

async function readableLayers(
  db: Queryable,
  { caller }: FastifyRequest,
  layers: LayerRecord[],
): Promise<LayerRecord[]> {
  return hasRole(caller, 'user') ? layers : publicLayers(db, layers)
}

/** A workspace that is not public and has no layer that is does not show whether it exists. */
async function layersOfWorkspace(
  db: Queryable,
  request: FastifyRequest,
  workspace: string,
): Promise<LayerRecord[]> {
  const layers = await readableLayers(db, request, await listLayers(db, { workspace }))
  if (hasRole(request.caller, 'user')) await getWorkspace(db, workspace)
  else if (layers.length === 0 && !(await findWorkspace(db, workspace))?.isPublic) throw loginNeeded()
  return layers
}

async function describe(
  { database, catalog }: HttpContext,
  request: FastifyRequest,
  layer: LayerRecord,
): Promise<object> {
  const { version } = await catalog.versionOf(layer)
  const db = database.kysely
  const style = await resolveStyle(db, layer.workspace, layer.details.style)
  return toWireLayer(request, { ...layer, version }, await getStoreById(db, layer.storeId), style)
}

/** The layer of the path by `<workspace>:<name>`; one that the caller may not read is as good as none. */
async function getNamedLayer({ database }: HttpContext, request: FastifyRequest): Promise<LayerRecord> {
  const { layer: text } = request.params as { layer: string }
  const layer = await findNamedLayer(database.kysely, text)
  const isReadable =
    layer !== undefined && (hasRole(request.caller, 'user') || (await isPublicLayer(database.kysely, layer)))
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

async function changeLayer(
  { database, clock }: HttpContext,
  layer: LayerRecord,
  wanted: WantedLayer,
): Promise<void> {
  if (
    wanted.name !== undefined &&
    wanted.name !== layer.name &&
    wanted.name !== `${layer.workspace}:${layer.name}`
  )
    throw invalid('invalid-body', `The name of layer "${layer.name}" cannot be changed`)
  const reference = wanted.defaultStyle ?? wanted.style ?? layer.details.style
  const style = (typeof reference === 'string' ? reference : reference.name).replace(
    `${layer.workspace}:`,
    '',
  )
  if ((await resolveStyle(database.kysely, layer.workspace, style)) === undefined)
    throw invalid('unknown-style', `Style "${style}" does not exist`)
  const { title = layer.details.title, abstract = layer.details.abstract } = wanted
  const { description = layer.details.description } = wanted
  const details = {
    ...layer.details,
    title,
    style,
    ...(abstract === undefined ? {} : { abstract }),
    ...(description === undefined ? {} : { description }),
  }
  const { public: wish = layer.isPublic } = wanted
  const isPublic = wish === 'workspace' ? undefined : wish
  const cause = style === layer.details.style ? 'edit' : 'style'
  await updateLayer(
    database.kysely,
    { ...layer, details, isPublic },
    { at: clock.now().toISOString(), cause },
  )
}

async function deleteLayer(context: HttpContext, layer: LayerRecord, recurse: boolean): Promise<void> {
  const { database, catalog, events } = context
  const store = await getStoreById(database.kysely, layer.storeId)
  if (store.type === mosaicType) {
    await catalog.deleteStore(store, { recurse: true })
    return
  }
  const neighbours = await listLayers(database.kysely, { storeId: store.id })
  await database.transaction((db) => unpublishLayer(db, layer))
  events.emit('layer.removed', { workspace: layer.workspace, layer: layer.name })
  if (neighbours.length === 1) await catalog.dropIndex(store)
  const isShared = neighbours.some(({ id, nativeName }) => id !== layer.id && nativeName === layer.nativeName)
  if (!recurse || isShared) return
  if (store.kind === 'coverageStore') await catalog.deleteStore(store, { recurse: false })
  const isLoaded = store.type === 'GeoPackage' || store.type === 'PostGIS'
  if (isLoaded) await (await catalog.openStore(store)).dropTable(layer.nativeName)
}
