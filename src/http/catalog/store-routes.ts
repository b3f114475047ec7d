import { Type } from 'typebox'
import { hasRole } from '../../accounts/caller.ts'
import type { StoreChange } from '../../catalog/doors/stores.ts'
import type { AnyConnection, StoreKind, StoreMaker, StoreRecord } from '../../catalog/records.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { App, FastifyReply, FastifyRequest, HttpContext } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import type { Place } from './connection-parameters.ts'
import { layerPath, RecurseQuery, storePath, toWireStore } from './wire.ts'

export const CollectionParams = Type.Object({ workspace: Type.String() })
export const ItemParams = Type.Object({ workspace: Type.String(), store: Type.String() })

/** A kind of stores with its paths and names. */
export interface StorePaths {
  kind: StoreKind
  path: string
  tags: string[]
  /** What the list is called, and what the list of a store's contents is. */
  list: string
  contents: { path: string; list: string; item: string }
}

/** The store of a path. */
export async function getStore(
  { catalog }: HttpContext,
  kind: StoreKind,
  params: { workspace: string; store: string },
) {
  const store = await catalog.stores.find(params.workspace, params.store)
  if (store?.kind === kind) return store
  throw notFound('unknown-store', `Store "${params.store}" does not exist in workspace "${params.workspace}"`)
}

/** Lists of stores, one store, and what it holds. */
export function addReading(
  app: App,
  context: HttpContext,
  { kind, path, tags, list, contents }: StorePaths,
): void {
  const { workspaces, stores: allStores, layers: allLayers } = context.catalog

  app.get(
    path,
    { config: { access: 'user' }, schema: { tags, summary: 'List stores', params: CollectionParams } },
    async (request) => {
      const { name } = await workspaces.get(request.params.workspace)
      const stores = await allStores.list(name, kind)
      return {
        [list]: {
          [kind]: stores.map((store) => ({ name: store.name, href: request.link(storePath(store)) })),
        },
      }
    },
  )

  app.get(
    `${path}/:store`,
    { config: { access: 'staff' }, schema: { tags, summary: 'One store', params: ItemParams } },
    async (request, reply) =>
      sendEntity(request, reply, toWireStore(request, await getStore(context, kind, request.params))),
  )

  app.get(
    `${path}/:store/${contents.path}`,
    { config: { access: 'user' }, schema: { tags, summary: 'Layers of a store', params: ItemParams } },
    async (request) => {
      const store = await getStore(context, kind, request.params)
      const layers = await allLayers.list({ storeId: store.id })
      const items = layers.map((layer) => ({ name: layer.name, href: request.link(layerPath(layer)) }))
      return { [contents.list]: { [contents.item]: items } }
    },
  )
}

export function addDeleting(app: App, context: HttpContext, { kind, path, tags }: StorePaths): void {
  app.delete(
    `${path}/:store`,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Delete a store', params: ItemParams, querystring: RecurseQuery },
    },
    async (request, reply) => {
      const store = await getStore(context, kind, request.params)
      requireMatch(request, toWireStore(request, store))
      await context.catalog.stores.delete(store, { recurse: request.query.recurse ?? false })
      return reply.code(200).send()
    },
  )
}

/** Refuses what of a store stays as it was made. */
export function refuseRenaming(store: StoreRecord, { name, type }: { name?: string; type?: string }): void {
  if (name !== undefined && name !== store.name)
    throw invalid('invalid-body', `The name of store "${store.name}" cannot be changed`)
  if (type !== undefined && type.toLowerCase() !== store.type.toLowerCase())
    throw invalid('invalid-body', `The type of store "${store.name}" cannot be changed`)
}

export function placeOf(context: HttpContext, at: { workspace: string; name: string }): Place {
  const { database, directory, settings } = context
  return {
    database,
    directory,
    importRoots: settings.data.importRoots,
    workspace: at.workspace,
    name: at.name,
  }
}

interface StoreFields {
  name?: string | undefined
  enabled?: boolean | undefined
  description?: string | undefined
}

/** Whose word a change of a store stands on. */
export function makerOf({ caller }: FastifyRequest): StoreMaker {
  return hasRole(caller, 'admin') ? 'admin' : 'staff'
}

/** What a body changes of a store beside its connection. */
export function plainChange({ enabled, description }: StoreFields): StoreChange {
  return {
    ...(enabled === undefined ? {} : { isEnabled: enabled }),
    ...(description === undefined ? {} : { description }),
  }
}

/** Creates a store over the connection that `connect` makes for its place, and answers with it. */
export async function sendCreated(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: StoreKind,
  body: StoreFields,
  connect: (place: Place) => Promise<AnyConnection>,
): Promise<FastifyReply> {
  const { workspace: wanted } = request.params as { workspace: string }
  const { name: workspace } = await context.catalog.workspaces.get(wanted)
  const { name } = body
  if (name === undefined) throw invalid('invalid-body', `A new store needs "${kind}.name"`)
  const connection = await connect(placeOf(context, { workspace, name }))
  const madeBy = makerOf(request)
  const store = await context.catalog.stores.create({
    ...{ workspace, name, kind, connection, madeBy },
    ...plainChange(body),
  })
  return reply
    .code(201)
    .header('location', request.link(storePath(store)))
    .send(toWireStore(request, store))
}
