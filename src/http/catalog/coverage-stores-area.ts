import type { Static } from 'typebox'
import { conflict } from '../../lib/errors.ts'
import type { StoreParameters } from '../../stores/store.ts'
import type { App, Area, HttpContext } from '../app-types.ts'
import { requireMatch } from '../etag.ts'
import { fromWireParameters, toCoverageConnection } from './connection-parameters.ts'
import type { StorePaths } from './store-routes.ts'
import {
  addDeleting,
  addReading,
  CollectionParams,
  getStore,
  ItemParams,
  placeOf,
  plainChange,
  refuseRenaming,
  sendCreated,
} from './store-routes.ts'
import { CoverageStoreBody, toWireStore } from './wire.ts'

const coverageStores: StorePaths = {
  kind: 'coverageStore',
  path: '/rest/workspaces/:workspace/coveragestores',
  tags: ['coverage stores'],
  list: 'coverageStores',
  contents: { path: 'coverages', list: 'coverages', item: 'coverage' },
}

/** `/rest/workspaces/<ws>/coveragestores[/<cs>]`. */
export const coverageStoresArea: Area = (app, context) => {
  addReading(app, context, coverageStores)
  addDeleting(app, context, coverageStores)
  addCreating(app, context)
  addChanging(app, context)
}

function parametersOf({
  url,
  connectionParameters,
}: Static<typeof CoverageStoreBody>['coverageStore']): StoreParameters {
  return { ...fromWireParameters(connectionParameters), ...(url === undefined ? {} : { url }) }
}

function addCreating(app: App, context: HttpContext): void {
  app.post(
    coverageStores.path,
    {
      config: { access: 'staff', idempotent: true },
      schema: {
        tags: coverageStores.tags,
        summary: 'Create a store over a raster file; the file is read first',
        params: CollectionParams,
        body: CoverageStoreBody,
      },
    },
    (request, reply) => {
      const { coverageStore } = request.body
      const { type } = coverageStore
      const wanted = { parameters: parametersOf(coverageStore), ...(type === undefined ? {} : { type }) }
      return sendCreated(context, request, reply, 'coverageStore', coverageStore, (place) =>
        toCoverageConnection(wanted, place),
      )
    },
  )
}

function addChanging(app: App, context: HttpContext): void {
  app.put(
    `${coverageStores.path}/:store`,
    {
      config: { access: 'staff' },
      schema: {
        tags: coverageStores.tags,
        summary: 'Change a store; the file may be another while no layer shows it',
        params: ItemParams,
        body: CoverageStoreBody,
      },
    },
    async (request) => {
      const store = await getStore(context, 'coverageStore', request.params)
      requireMatch(request, toWireStore(request, store))
      refuseRenaming(store, request.body.coverageStore)
      const change = plainChange(request.body.coverageStore)
      const parameters = parametersOf(request.body.coverageStore)
      if (Object.keys(parameters).length > 0) {
        const connection = await toCoverageConnection(
          { type: store.type, parameters },
          placeOf(context, store),
        )
        if (connection.parameters.path !== store.parameters.path) {
          await refuseShown(context, store)
          change.connection = connection
        }
      }
      return toWireStore(request, await context.catalog.stores.change(store, change))
    },
  )
}

/** What a layer says of its cells was read from its file. */
async function refuseShown({ catalog }: HttpContext, store: { id: number; name: string }): Promise<void> {
  const [layer] = await catalog.layers.list({ storeId: store.id })
  if (layer === undefined) return
  throw conflict(
    'store-in-use',
    `Layer "${layer.name}" shows the file of store "${store.name}": import the new file with updateMode REPLACE`,
  )
}
