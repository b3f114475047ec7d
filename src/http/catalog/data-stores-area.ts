import type { StoreChange } from '../../catalog/catalog.ts'
import { getWorkspace } from '../../catalog/workspaces.ts'
import { invalid } from '../../lib/errors.ts'
import type { App, Area, HttpContext } from '../app-types.ts'
import { requireMatch } from '../etag.ts'
import { changedParameters, fromWireParameters, toConnection } from './connection-parameters.ts'
import type { StorePaths } from './store-routes.ts'
import {
  addDeleting,
  addReading,
  CollectionParams,
  getStore,
  ItemParams,
  placeOf,
  refuseRenaming,
} from './store-routes.ts'
import { StoreBody, storePath, toWireStore } from './wire.ts'

const dataStores: StorePaths = {
  kind: 'dataStore',
  path: '/rest/workspaces/:workspace/datastores',
  tags: ['data stores'],
  list: 'dataStores',
  contents: { path: 'featuretypes', list: 'featureTypes', item: 'featureType' },
}

/** `/rest/workspaces/<ws>/datastores[/<ds>]`. */
export const dataStoresArea: Area = (app, context) => {
  addReading(app, context, dataStores)
  addDeleting(app, context, dataStores)
  addCreating(app, context)
  addChanging(app, context)
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
      const { type, connectionParameters, enabled, description } = request.body.dataStore
      refuseRenaming(store, request.body.dataStore)
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
