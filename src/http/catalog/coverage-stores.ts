import type { Static } from 'typebox'
import { Type } from 'typebox'
import { defined } from '../../lib/defined.ts'
import type { StoreParameters } from '../../stores/store.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { RecurseQuery, WorkspaceParams } from './paths.ts'
import {
  CoverageList,
  CoverageStoreBody,
  CoverageStoreList,
  CoverageStoreReply,
  readParametersBody,
} from './store-response.ts'
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
  return { ...readParametersBody(connectionParameters), ...defined({ url }) }
}

export const listCoverageStores = operation({
  summary: 'List stores',
  description: 'Names of the stores for rasters of a workspace, with links.',
  tags,
  params: WorkspaceParams,
  answers: { 200: CoverageStoreList },
  handle: async (deps: CatalogDeps, request) => ({
    coverageStores: { coverageStore: await listStoresOf(deps, request, 'coverageStore') },
  }),
})

export const createCoverageStore = operation({
  summary: 'Create a store over a raster file; the file is read first',
  description:
    'A GeoTIFF or another raster file below an import root or the data directory, which is served as it is.',
  tags,
  idempotent: true,
  params: WorkspaceParams,
  body: CoverageStoreBody,
  answers: { 201: CoverageStoreReply },
  handle: (deps: CatalogDeps, request, reply) => {
    const { coverageStore: fields } = request.body
    return createStore(deps, request, reply, 'coverageStore', { fields, parameters: parametersOf(fields) })
  },
})

export const showCoverageStore = operation({
  summary: 'One store',
  description: 'Type, state and file of a store.',
  tags,
  params: StoreParams,
  answers: { 200: CoverageStoreReply },
  handle: (deps: CatalogDeps, request, reply) => sendStore(deps, request, reply, 'coverageStore'),
})

export const changeCoverageStore = operation({
  summary: 'Change a store; the file may be another while no layer shows it',
  description: 'Changes what the body names; the file must be readable as a raster.',
  tags,
  params: StoreParams,
  body: CoverageStoreBody,
  answers: { 200: CoverageStoreReply },
  handle: (deps: CatalogDeps, request) => {
    const { coverageStore: fields } = request.body
    return changeStore(deps, request, 'coverageStore', { fields, parameters: () => parametersOf(fields) })
  },
})

export const deleteCoverageStore = operation({
  summary: 'Delete a store',
  description: 'A store without layers is deleted; `?recurse=true` deletes its layers too.',
  tags,
  params: StoreParams,
  query: RecurseQuery,
  answers: { 200: empty() },
  handle: (deps: CatalogDeps, request, reply) => deleteStore(deps, request, reply, 'coverageStore'),
})

export const listCoverages = operation({
  summary: 'Layers of a store',
  description: 'Names of the layers that show the raster of the store, with links.',
  tags,
  params: StoreParams,
  answers: { 200: CoverageList },
  handle: async (deps: CatalogDeps, request) => ({
    coverages: { coverage: await listLayersOfStore(deps, request, 'coverageStore') },
  }),
})
