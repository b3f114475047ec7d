import { Type } from 'typebox'
import { operation } from '../endpoint.ts'
import type { CatalogParts } from './catalog-parts.ts'
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
async function workspaceOf({ catalog }: CatalogParts, { workspace }: { workspace: string }): Promise<string> {
  return (await catalog.workspaces.get(workspace)).name
}

async function placeOf(parts: CatalogParts, params: { workspace: string; style: string }) {
  return { workspace: await workspaceOf(parts, params), name: params.style }
}

export const listStylesOfWorkspace = operation({
  ...styleDescriptions.list,
  params: WorkspaceParams,
  handle: async (parts: CatalogParts, request) =>
    listStylesIn(parts, request, await workspaceOf(parts, request.params)),
})

export const createStyleOfWorkspace = operation({
  ...styleDescriptions.create,
  params: WorkspaceParams,
  handle: async (parts: CatalogParts, request, reply) =>
    createStyleIn(parts, request, reply, await workspaceOf(parts, request.params)),
})

export const showStyleOfWorkspace = operation({
  ...styleDescriptions.show,
  params: StyleParams,
  handle: async (parts: CatalogParts, request, reply) =>
    sendStyle(parts, request, reply, await placeOf(parts, request.params)),
})

export const changeStyleOfWorkspace = operation({
  ...styleDescriptions.change,
  params: StyleParams,
  handle: async (parts: CatalogParts, request) =>
    changeNamed(parts, request, await placeOf(parts, request.params)),
})

export const deleteStyleOfWorkspace = operation({
  ...styleDescriptions.delete,
  params: StyleParams,
  handle: async (parts: CatalogParts, request, reply) =>
    deleteNamed(parts, request, reply, await placeOf(parts, request.params)),
})
