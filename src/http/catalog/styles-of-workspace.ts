import { Type } from 'typebox'
import { operation } from '../endpoint.ts'
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
async function workspaceOf({ catalog }: CatalogDeps, { workspace }: { workspace: string }): Promise<string> {
  return (await catalog.workspaces.get(workspace)).name
}

async function placeOf(deps: CatalogDeps, params: { workspace: string; style: string }) {
  return { workspace: await workspaceOf(deps, params), name: params.style }
}

export const listStylesOfWorkspace = operation({
  ...styleDescriptions.list,
  params: WorkspaceParams,
  handle: async (deps: CatalogDeps, request) =>
    listStylesIn(deps, request, await workspaceOf(deps, request.params)),
})

export const createStyleOfWorkspace = operation({
  ...styleDescriptions.create,
  params: WorkspaceParams,
  handle: async (deps: CatalogDeps, request, reply) =>
    createStyleIn(deps, request, reply, await workspaceOf(deps, request.params)),
})

export const showStyleOfWorkspace = operation({
  ...styleDescriptions.show,
  params: StyleParams,
  handle: async (deps: CatalogDeps, request, reply) =>
    sendStyle(deps, request, reply, await placeOf(deps, request.params)),
})

export const changeStyleOfWorkspace = operation({
  ...styleDescriptions.change,
  params: StyleParams,
  handle: async (deps: CatalogDeps, request) =>
    changeNamed(deps, request, await placeOf(deps, request.params)),
})

export const deleteStyleOfWorkspace = operation({
  ...styleDescriptions.delete,
  params: StyleParams,
  handle: async (deps: CatalogDeps, request, reply) =>
    deleteNamed(deps, request, reply, await placeOf(deps, request.params)),
})
