import { Type } from 'typebox'
import type { LayerRecord, StoreRecord, StyleRecord } from '../../../catalog/index.ts'
import { type Failure, notFound } from '../../../core/errors/errors.ts'

/** `recurse=true` includes contained resources. */
export const RecurseQuery = Type.Object({
  recurse: Type.Optional(Type.Boolean({ description: 'Also delete the contents' })),
})

export const WorkspaceParams = Type.Object({ workspace: Type.String({ description: 'Name of a workspace' }) })

/** A named thing in a list, with the way to it. */
export const Linked = Type.Object({ name: Type.String(), href: Type.String() })

export function workspacePath(name: string): string {
  return `/rest/workspaces/${encodeURIComponent(name)}`
}

export function storePath(store: Pick<StoreRecord, 'workspace' | 'name' | 'kind'>): string {
  const collection = store.kind === 'dataStore' ? 'datastores' : 'coveragestores'
  return `${workspacePath(store.workspace)}/${collection}/${encodeURIComponent(store.name)}`
}

export function layerPath(layer: Pick<LayerRecord, 'workspace' | 'name'>): string {
  return `/rest/layers/${encodeURIComponent(layer.workspace)}:${encodeURIComponent(layer.name)}`
}

export function stylePath(style: Pick<StyleRecord, 'workspace' | 'name'>): string {
  const prefix = style.workspace === undefined ? '/rest' : workspacePath(style.workspace)
  return `${prefix}/styles/${encodeURIComponent(style.name)}`
}

/** The error for a workspace that does not exist, or in which the caller may read nothing. */
export function unknownWorkspace(name: string): Failure {
  return notFound('unknown-workspace', `Workspace "${name}" does not exist`)
}
