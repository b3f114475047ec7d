import { Type } from 'typebox'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { RecurseQuery, WorkspaceParams } from './paths.ts'
import {
  DataStoreList,
  DataStoreReply,
  FeatureTypeList,
  readParametersBody,
  StoreBody,
} from './store-response.ts'
import {
  changeStore,
  createStore,
  deleteStore,
  listLayersOfStore,
  listStoresOf,
  sendStore,
} from './stores.ts'

const tags = ['data stores']
const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

export const listDataStores = operation({
  summary: 'List stores',
  description: 'Names of the stores for features of a workspace, with links.',
  tags,
  params: WorkspaceParams,
  answers: { 200: DataStoreList },
  handle: async (deps: CatalogDeps, request) => ({
    dataStores: { dataStore: await listStoresOf(deps, request, 'dataStore') },
  }),
})

export const createDataStore = operation({
  summary: 'Create a store; its connection is tried first',
  description:
    'A GeoPackage or a PostGIS database that layers are loaded into. Without connection parameters a new GeoPackage is made.',
  tags,
  idempotent: true,
  params: WorkspaceParams,
  body: StoreBody,
  answers: { 201: DataStoreReply },
  handle: (deps: CatalogDeps, request, reply) => {
    const { dataStore: fields } = request.body
    const parameters = readParametersBody(fields.connectionParameters)
    return createStore(deps, request, reply, 'dataStore', { fields, parameters })
  },
})

export const showDataStore = operation({
  summary: 'One store',
  description: 'Type, state and connection parameters of a store; passwords are shown as `********`.',
  tags,
  params: StoreParams,
  answers: { 200: DataStoreReply },
  handle: (deps: CatalogDeps, request, reply) => sendStore(deps, request, reply, 'dataStore'),
})

export const changeDataStore = operation({
  summary: 'Change a store; a changed connection is tried first',
  description: 'Changes what the body names. A password is stored encrypted; `********` leaves it as it is.',
  tags,
  params: StoreParams,
  body: StoreBody,
  answers: { 200: DataStoreReply },
  handle: (deps: CatalogDeps, request) => {
    const { dataStore: fields } = request.body
    const parameters = () => readParametersBody(fields.connectionParameters)
    return changeStore(deps, request, 'dataStore', { fields, parameters })
  },
})

export const deleteDataStore = operation({
  summary: 'Delete a store',
  description:
    'A store without layers is deleted; `?recurse=true` deletes its layers too. A file of the server goes with it, tables of a database stay.',
  tags,
  params: StoreParams,
  query: RecurseQuery,
  answers: { 200: empty() },
  handle: (deps: CatalogDeps, request, reply) => deleteStore(deps, request, reply, 'dataStore'),
})

export const listFeatureTypes = operation({
  summary: 'Layers of a store',
  description: 'Names of the layers that read from the store, with links.',
  tags,
  params: StoreParams,
  answers: { 200: FeatureTypeList },
  handle: async (deps: CatalogDeps, request) => ({
    featureTypes: { featureType: await listLayersOfStore(deps, request, 'dataStore') },
  }),
})
