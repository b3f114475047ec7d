import { Type } from 'typebox'
import type { StoreChange } from '../../catalog/catalog.ts'
import { listLayers } from '../../catalog/layers.ts'
import type { StoreKind } from '../../catalog/records.ts'
import { findStore, listStores } from '../../catalog/stores.ts'
import { getWorkspace } from '../../catalog/workspaces.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { App, Area, HttpContext } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import type { Place } from './connection-parameters.ts'
import { changedParameters, fromWireParameters, toConnection } from './connection-parameters.ts'
import { CoverageStoreBody, layerPath, RecurseQuery, StoreBody, storePath, toWireStore } from './wire.ts'

const CollectionParams = Type.Object({ workspace: Type.String() })
const ItemParams = Type.Object({ workspace: Type.String(), store: Type.String() })

interface Kind {
  kind: StoreKind
  path: string
  tags: string[]
  /** What the list is called, and what the list of a store's contents is. */
  list: string
  contents: { path: string; list: string; item: string }
}

const dataStores: Kind = {
  kind: 'dataStore',
  path: '/rest/workspaces/:workspace/datastores',
  tags: ['data stores'],
  list: 'dataStores',
  contents: { path: 'featuretypes', list: 'featureTypes', item: 'featureType' },
}

const coverageStores: Kind = {
  kind: 'coverageStore',
  path: '/rest/workspaces/:workspace/coveragestores',
  tags: ['coverage stores'],
  list: 'coverageStores',
  contents: { path: 'coverages', list: 'coverages', item: 'coverage' },
}

/** `/rest/workspaces/<ws>/datastores[/<ds>]`. */
export const dataStoresArea: Area = (app, context) => {
  addReading(app, context, dataStores)
  addDeleting(app, context, dataStores)
  addCreating(app, context)
  addChanging(app, context)
}

/** `/rest/workspaces/<ws>/coveragestores[/<cs>]`; imports of rasters make them. */
export const coverageStoresArea: Area = (app, context) => {
  addReading(app, context, coverageStores)
  addDeleting(app, context, coverageStores)
  app.post(
    coverageStores.path,
    {
      config: { access: 'staff' },
      schema: {
        tags: coverageStores.tags,
        summary: 'Refused: an import makes them',
        body: CoverageStoreBody,
      },
    },
    () => {
      throw invalid(
        'unknown-store-type',
        'Coverage stores come into being by an import of a raster: POST /rest/imports',
      )
    },
  )
}

async function getStore(
  { database }: HttpContext,
  kind: StoreKind,
  params: { workspace: string; store: string },
) {
  const store = await findStore(database.kysely, params.workspace, params.store)
  if (store?.kind === kind) return store
  throw notFound('unknown-store', `Store "${params.store}" does not exist in workspace "${params.workspace}"`)
}

function addReading(app: App, context: HttpContext, { kind, path, tags, list, contents }: Kind): void {
  const db = context.database.kysely

  app.get(
    path,
    { config: { access: 'user' }, schema: { tags, summary: 'List stores', params: CollectionParams } },
    async (request) => {
      const { name } = await getWorkspace(db, request.params.workspace)
      const stores = await listStores(db, name, kind)
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
      const layers = await listLayers(db, { storeId: store.id })
      const items = layers.map((layer) => ({ name: layer.name, href: request.link(layerPath(layer)) }))
      return { [contents.list]: { [contents.item]: items } }
    },
  )
}

function addDeleting(app: App, context: HttpContext, { kind, path, tags }: Kind): void {
  app.delete(
    `${path}/:store`,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Delete a store', params: ItemParams, querystring: RecurseQuery },
    },
    async (request, reply) => {
      const store = await getStore(context, kind, request.params)
      requireMatch(request, toWireStore(request, store))
      await context.catalog.deleteStore(store, { recurse: request.query.recurse ?? false })
      return reply.code(200).send()
    },
  )
}

function addCreating(app: App, context: HttpContext): void {
  app.post(
    dataStores.path,
    {
      config: { access: 'staff', idempotent: true },
      schema: {
        tags: dataStores.tags,
        summary: 'Create a store; its connection is tried first',
        params: CollectionParams,
        body: StoreBody,
      },
    },
    async (request, reply) => {
      const { name: workspace } = await getWorkspace(context.database.kysely, request.params.workspace)
      const { name, type, connectionParameters, enabled, description } = request.body.dataStore
      if (name === undefined) throw invalid('invalid-body', 'A new store needs "dataStore.name"')
      const wanted = {
        parameters: fromWireParameters(connectionParameters),
        ...(type === undefined ? {} : { type }),
      }
      const store = await context.catalog.createStore({
        workspace,
        name,
        kind: 'dataStore',
        connection: await toConnection(wanted, placeOf(context, { workspace, name })),
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
        ...(description === undefined ? {} : { description }),
      })
      return reply
        .code(201)
        .header('location', request.link(storePath(store)))
        .send(toWireStore(request, store))
    },
  )
}

function addChanging(app: App, context: HttpContext): void {
  app.put(
    `${dataStores.path}/:store`,
    {
      config: { access: 'staff' },
      schema: {
        tags: dataStores.tags,
        summary: 'Change a store; a changed connection is tried first',
        params: ItemParams,
        body: StoreBody,
      },
    },
    async (request) => {
      const store = await getStore(context, 'dataStore', request.params)
      requireMatch(request, toWireStore(request, store))
      const { name, type, connectionParameters, enabled, description } = request.body.dataStore
      if (name !== undefined && name !== store.name)
        throw invalid('invalid-body', `The name of store "${store.name}" cannot be changed`)
      if (type !== undefined && type.toLowerCase() !== store.type.toLowerCase())
        throw invalid('invalid-body', `The type of store "${store.name}" cannot be changed`)
      const change: StoreChange = {
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
        ...(description === undefined ? {} : { description }),
      }
      const parameters = changedParameters(store, fromWireParameters(connectionParameters))
      if (parameters !== undefined)
        change.connection = await toConnection(
          { type: type ?? store.type, parameters },
          placeOf(context, store),
        )
      return toWireStore(request, await context.catalog.changeStore(store, change))
    },
  )
}

function placeOf(context: HttpContext, at: { workspace: string; name: string }): Place {
  const { database, directory, settings } = context
  return {
    database,
    directory,
    importRoots: settings.data.importRoots,
    workspace: at.workspace,
    name: at.name,
  }
}
