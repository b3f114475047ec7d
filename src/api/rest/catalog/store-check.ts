import { Type } from 'typebox'
import type { Catalog, StoreKind } from '../../../catalog/index.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { StoreCheckReply } from './inventory-response.ts'
import { WorkspaceParams } from './paths.ts'
import { readParametersBody, StoreBody } from './store-response.ts'
import { getStore, makerOf } from './stores.ts'

const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

/** Measures the duration of a function, and returns it with the result. */
async function timed(work: () => Promise<number | undefined>) {
  const begun = performance.now()
  const tables = await work()
  return { check: { milliseconds: Math.round(performance.now() - begun), tables } }
}

async function checkStore(catalog: Catalog, kind: StoreKind, params: { workspace: string; store: string }) {
  const store = await getStore(catalog, kind, params)
  return timed(() => catalog.stores.check(store))
}

export const checkDataStore = operation({
  summary: 'Test the connection of a store',
  description: 'Errors are those of the creation of the store.',
  tags: ['data stores'],
  params: StoreParams,
  answers: { 200: StoreCheckReply },
  handle: ({ catalog }: CatalogDeps, request) => checkStore(catalog, 'dataStore', request.params),
})

export const checkCoverageStore = operation({
  summary: 'Read the file of a store',
  description:
    'Reads the header of the file and returns size, bands and CRS, or the reason why it cannot be read.',
  tags: ['coverage stores'],
  params: StoreParams,
  answers: { 200: StoreCheckReply },
  handle: ({ catalog }: CatalogDeps, request) => checkStore(catalog, 'coverageStore', request.params),
})

export const checkNewDataStore = operation({
  summary: 'Test a connection without storing it',
  description:
    'Connects with the given parameters and returns the time it took and the number of tables. Stores nothing.',
  tags: ['data stores'],
  params: WorkspaceParams,
  body: StoreBody,
  answers: { 200: StoreCheckReply },
  handle: ({ catalog }: CatalogDeps, request) => {
    const { name = 'new', type, connectionParameters } = request.body.dataStore
    const parameters = readParametersBody(connectionParameters)
    const requested = {
      workspace: request.params.workspace,
      name,
      kind: 'dataStore',
      type,
      parameters,
    } as const
    return timed(async () => {
      await catalog.stores.tryFor(makerOf(request), requested)
      return undefined
    })
  },
})
