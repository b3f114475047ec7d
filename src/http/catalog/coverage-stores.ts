import type { Static } from 'typebox'
import { Type } from 'typebox'
import { defined } from '../../lib/defined.ts'
import type { StoreParameters } from '../../stores/store.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { CatalogParts } from './catalog-parts.ts'
import { RecurseQuery, WorkspaceParams } from './paths.ts'
import {
  CoverageList,
  CoverageStoreBody,
  CoverageStoreList,
  CoverageStoreReply,
  fromWireParameters,
} from './store-wire.ts'
import {
  changeStore,
  createStore,
  deleteStore,
  listLayersOfStore,
  listStoresOf,
  sendStore,
} from './stores.ts'

const tags = ['coverage stores']
const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

function parametersOf({
  url,
  connectionParameters,
}: Static<typeof CoverageStoreBody>['coverageStore']): StoreParameters {
  return { ...fromWireParameters(connectionParameters), ...defined({ url }) }
}

export const listCoverageStores = operation({
  summary: 'List stores',
  tags,
  params: WorkspaceParams,
  answers: { 200: CoverageStoreList },
  handle: async (parts: CatalogParts, request) => ({
    coverageStores: { coverageStore: await listStoresOf(parts, request, 'coverageStore') },
  }),
})

export const createCoverageStore = operation({
  summary: 'Create a store over a raster file; the file is read first',
  tags,
  idempotent: true,
  params: WorkspaceParams,
  body: CoverageStoreBody,
  answers: { 201: CoverageStoreReply },
  handle: (parts: CatalogParts, request, reply) => {
    const { coverageStore: fields } = request.body
    return createStore(parts, request, reply, 'coverageStore', { fields, parameters: parametersOf(fields) })
  },
})

export const showCoverageStore = operation({
  summary: 'One store',
  tags,
  params: StoreParams,
  answers: { 200: CoverageStoreReply },
  handle: (parts: CatalogParts, request, reply) => sendStore(parts, request, reply, 'coverageStore'),
})

export const changeCoverageStore = operation({
  summary: 'Change a store; the file may be another while no layer shows it',
  tags,
  params: StoreParams,
  body: CoverageStoreBody,
  answers: { 200: CoverageStoreReply },
  handle: (parts: CatalogParts, request) => {
    const { coverageStore: fields } = request.body
    return changeStore(parts, request, 'coverageStore', { fields, parameters: () => parametersOf(fields) })
  },
})

export const deleteCoverageStore = operation({
  summary: 'Delete a store',
  tags,
  params: StoreParams,
  query: RecurseQuery,
  answers: { 200: empty() },
  handle: (parts: CatalogParts, request, reply) => deleteStore(parts, request, reply, 'coverageStore'),
})

export const listCoverages = operation({
  summary: 'Layers of a store',
  tags,
  params: StoreParams,
  answers: { 200: CoverageList },
  handle: async (parts: CatalogParts, request) => ({
    coverages: { coverage: await listLayersOfStore(parts, request, 'coverageStore') },
  }),
})
