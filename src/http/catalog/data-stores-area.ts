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
  makerOf,
  placeOf,
  plainChange,
  refuseRenaming,
  sendCreated,
} from './store-routes.ts'
import { StoreBody, toWireStore } from './wire.ts'

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
    (request, reply) => {
      const { dataStore } = request.body
      const { type, connectionParameters } = dataStore
      const parameters = fromWireParameters(connectionParameters)
      const wanted = { parameters, ...(type === undefined ? {} : { type }) }
      return sendCreated(context, request, reply, 'dataStore', dataStore, (place) =>
        toConnection(wanted, place),
      )
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
      const { type, connectionParameters } = request.body.dataStore
      refuseRenaming(store, request.body.dataStore)
      const change = plainChange(request.body.dataStore)
      const parameters = changedParameters(store, fromWireParameters(connectionParameters))
      if (parameters !== undefined)
        change.connection = await toConnection(
          { type: type ?? store.type, parameters },
          placeOf(context, store),
        )
      return toWireStore(
        request,
        await context.catalog.stores.change(store, { ...change, changedBy: makerOf(request) }),
      )
    },
  )
}
