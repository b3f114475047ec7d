import { Type } from 'typebox'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { CatalogParts } from './catalog-parts.ts'
import { RecurseQuery, WorkspaceParams } from './paths.ts'
import {
  DataStoreList,
  DataStoreReply,
  FeatureTypeList,
  fromWireParameters,
  StoreBody,
} from './store-wire.ts'
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
  tags,
  params: WorkspaceParams,
  answers: { 200: DataStoreList },
  handle: async (parts: CatalogParts, request) => ({
    dataStores: { dataStore: await listStoresOf(parts, request, 'dataStore') },
  }),
})

export const createDataStore = operation({
  summary: 'Create a store; its connection is tried first',
  tags,
  idempotent: true,
  params: WorkspaceParams,
  body: StoreBody,
  answers: { 201: DataStoreReply },
  handle: (parts: CatalogParts, request, reply) => {
    const { dataStore: fields } = request.body
    const parameters = fromWireParameters(fields.connectionParameters)
    return createStore(parts, request, reply, 'dataStore', { fields, parameters })
  },
})

export const showDataStore = operation({
  summary: 'One store',
  tags,
  params: StoreParams,
  answers: { 200: DataStoreReply },
  handle: (parts: CatalogParts, request, reply) => sendStore(parts, request, reply, 'dataStore'),
})

export const changeDataStore = operation({
  summary: 'Change a store; a changed connection is tried first',
  tags,
  params: StoreParams,
  body: StoreBody,
  answers: { 200: DataStoreReply },
  handle: (parts: CatalogParts, request) => {
    const { dataStore: fields } = request.body
    const parameters = () => fromWireParameters(fields.connectionParameters)
    return changeStore(parts, request, 'dataStore', { fields, parameters })
  },
})

export const deleteDataStore = operation({
  summary: 'Delete a store',
  tags,
  params: StoreParams,
  query: RecurseQuery,
  answers: { 200: empty() },
  handle: (parts: CatalogParts, request, reply) => deleteStore(parts, request, reply, 'dataStore'),
})

export const listFeatureTypes = operation({
  summary: 'Layers of a store',
  tags,
  params: StoreParams,
  answers: { 200: FeatureTypeList },
  handle: async (parts: CatalogParts, request) => ({
    featureTypes: { featureType: await listLayersOfStore(parts, request, 'dataStore') },
  }),
})
