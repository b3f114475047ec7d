import { Type } from 'typebox'
import type { StoreKind } from '../../../catalog/index.ts'
import { foldText } from '../../../core/text/fold-text.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps, InventoryDeps } from './catalog-deps.ts'
import {
  DependentsReply,
  StoreInventories,
  toCountedStoreResponse,
  toCountedWorkspaceResponse,
  toDependentsResponse,
  WorkspaceInventories,
} from './inventory-response.ts'
import { WorkspaceParams } from './paths.ts'
import { getStore } from './stores.ts'

const defaultLimit = 1000
/** Parameters of a list on a page. */
export const pageQuery = {
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 1000' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
}
const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

/** Those whose name (or other text) has the text, and how many these are before the page is cut. */
export function pageOf<T extends { name: string }>(
  all: readonly T[],
  { q = '', limit = defaultLimit, offset = 0 }: { q?: string; limit?: number; offset?: number },
  textOf: (one: T) => string = ({ name }) => name,
): { total: number; page: T[] } {
  const requested = foldText(q)
  const found = requested === '' ? all : all.filter((one) => foldText(textOf(one)).includes(requested))
  return { total: found.length, page: found.slice(offset, offset + limit) }
}

export const listWorkspaceInventories = operation({
  summary: 'List all workspaces with counts of their contents',
  description:
    'For lists on pages: all workspaces with numbers of stores, layers and styles in one response.',
  tags: ['workspaces'],
  query: Type.Object(pageQuery),
  answers: { 200: WorkspaceInventories },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const { total, page } = pageOf(await catalog.inventory.workspaces(), request.query)
    return { total, workspaces: page.map((one) => toCountedWorkspaceResponse(request, one)) }
  },
})

export const listStoreInventories = operation({
  summary: 'List the stores of all workspaces, or of one, with their numbers of layers',
  description: 'For lists on pages: all stores with type, state and number of layers in one response.',
  tags: ['data stores'],
  query: Type.Object({ ...pageQuery, workspace: Type.Optional(Type.String()) }),
  answers: { 200: StoreInventories },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const { workspace, ...requested } = request.query
    if (workspace !== undefined) await catalog.workspaces.require(workspace)
    const { total, page } = pageOf(await catalog.inventory.stores(workspace), requested)
    return { total, stores: page.map((one) => toCountedStoreResponse(request, one)) }
  },
})

export const listWorkspaceDependents = operation({
  summary: 'List what is deleted with a workspace by recurse=true',
  description:
    'Stores, layers, styles, earlier versions with their bytes, imports that are not done, and files of the server.',
  tags: ['workspaces'],
  params: WorkspaceParams,
  answers: { 200: DependentsReply },
  handle: async ({ catalog, imports }: InventoryDeps, request) => {
    const { name } = await catalog.workspaces.get(request.params.workspace)
    return toDependentsResponse(await catalog.inventory.ofWorkspace(name), await imports.listInto(name))
  },
})

async function dependentsOf(
  deps: InventoryDeps,
  kind: StoreKind,
  params: { workspace: string; store: string },
) {
  const store = await getStore(deps.catalog, kind, params)
  const imports = await deps.imports.listInto(store.workspace, store.name)
  return toDependentsResponse(await deps.catalog.inventory.ofStore(store), imports)
}

export const listDataStoreDependents = operation({
  summary: 'List what is deleted with a store by recurse=true',
  description:
    'Layers, earlier versions with their bytes, imports that are not done, and files of the server.',
  tags: ['data stores'],
  params: StoreParams,
  answers: { 200: DependentsReply },
  handle: (deps: InventoryDeps, request) => dependentsOf(deps, 'dataStore', request.params),
})

export const listCoverageStoreDependents = operation({
  summary: 'List what is deleted with a store by recurse=true',
  description:
    'Layers, earlier versions with their bytes, imports that are not done, and files of the server.',
  tags: ['coverage stores'],
  params: StoreParams,
  answers: { 200: DependentsReply },
  handle: (deps: InventoryDeps, request) => dependentsOf(deps, 'coverageStore', request.params),
})
