import { Type } from 'typebox'
import type { Catalog } from '../../../catalog/index.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { WorkspaceParams } from './paths.ts'
import {
  changeNamed,
  createStyleIn,
  deleteNamed,
  listStylesIn,
  sendStyle,
  styleDescriptions,
} from './styles.ts'

const StyleParams = Type.Object({
  ...WorkspaceParams.properties,
  style: Type.String({ description: 'Name of a style of the workspace' }),
})

/** The name of the path's workspace, which exists. */
async function workspaceOf(catalog: Catalog, { workspace }: { workspace: string }): Promise<string> {
  return (await catalog.workspaces.get(workspace)).name
}

async function placeOf(catalog: Catalog, params: { workspace: string; style: string }) {
  return { workspace: await workspaceOf(catalog, params), name: params.style }
}

export const listStylesOfWorkspace = operation({
  ...styleDescriptions.list,
  params: WorkspaceParams,
  handle: async ({ catalog }: CatalogDeps, request) =>
    listStylesIn(catalog, request, await workspaceOf(catalog, request.params)),
})

export const createStyleOfWorkspace = operation({
  ...styleDescriptions.create,
  params: WorkspaceParams,
  handle: async ({ catalog }: CatalogDeps, request, reply) =>
    createStyleIn(catalog, request, reply, await workspaceOf(catalog, request.params)),
})

export const showStyleOfWorkspace = operation({
  ...styleDescriptions.show,
  params: StyleParams,
  handle: async ({ catalog }: CatalogDeps, request, reply) =>
    sendStyle(catalog, request, reply, await placeOf(catalog, request.params)),
})

export const changeStyleOfWorkspace = operation({
  ...styleDescriptions.change,
  params: StyleParams,
  handle: async ({ catalog }: CatalogDeps, request) =>
    changeNamed(catalog, request, await placeOf(catalog, request.params)),
})

export const deleteStyleOfWorkspace = operation({
  ...styleDescriptions.delete,
  params: StyleParams,
  handle: async ({ catalog }: CatalogDeps, request, reply) =>
    deleteNamed(catalog, request, reply, await placeOf(catalog, request.params)),
})
