import { Type } from 'typebox'
import {
  type Dependents,
  type StoreInventory,
  storeKinds,
  type WorkspaceInventory,
} from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { storePath, workspacePath } from './paths.ts'
import { toQuotaResponse, WorkspaceQuota } from './workspace-response.ts'

const Count = Type.Integer({ minimum: 0 })

export const WorkspaceInventories = Type.Object({
  total: Count,
  workspaces: Type.Array(
    Type.Object({
      name: Type.String(),
      public: Type.Boolean({ description: 'True if anonymous users may read its layers' }),
      default: Type.Boolean({ description: 'True for the default workspace' }),
      stores: Count,
      layers: Count,
      styles: Count,
      quota: Type.Optional(WorkspaceQuota),
      dateModified: Type.String(),
      href: Type.String(),
    }),
  ),
})

export const StoreInventories = Type.Object({
  total: Count,
  stores: Type.Array(
    Type.Object({
      name: Type.String(),
      workspace: Type.String(),
      kind: Type.Union(storeKinds.map((kind) => Type.Literal(kind))),
      type: Type.String(),
      enabled: Type.Boolean(),
      default: Type.Boolean({ description: 'True for the default store of the workspace' }),
      description: Type.Optional(Type.String()),
      layers: Count,
      dateModified: Type.String(),
      href: Type.String(),
    }),
  ),
})

const Names = Type.Object({
  total: Count,
  names: Type.Array(Type.String(), { description: 'The first hundred' }),
})

export const DependentsReply = Type.Object({
  dependents: Type.Object({
    layers: Names,
    stores: Type.Object(Names.properties, {
      description: 'For a workspace all layers; for a store the mosaics whose granules it contains',
    }),
    styles: Type.Optional(Names),
    versions: Type.Object({ total: Count, bytes: Count }, { description: 'Stored layer versions' }),
    imports: Type.Object({
      total: Count,
      ids: Type.Array(Type.Integer(), { description: 'Unfinished imports, the first hundred' }),
    }),
    files: Type.Integer({
      description: 'Files of the server that are deleted too; tables of databases and other files remain',
    }),
  }),
})

export const StoreCheckReply = Type.Object({
  check: Type.Object({
    milliseconds: Type.Integer({ description: 'Time the store needed, in milliseconds' }),
    tables: Type.Optional(
      Type.Integer({ description: 'Number of tables; absent for a connection that is not stored' }),
    ),
  }),
})

export function toCountedWorkspaceResponse(request: FastifyRequest, workspace: WorkspaceInventory) {
  const { name, isPublic, isDefault, stores, layers, styles, updatedAt } = workspace
  return {
    name,
    public: isPublic,
    default: isDefault,
    stores,
    layers,
    styles,
    quota: toQuotaResponse(workspace.quota),
    dateModified: updatedAt,
    href: request.link(workspacePath(name)),
  }
}

export function toCountedStoreResponse(request: FastifyRequest, store: StoreInventory) {
  const { name, workspace, kind, type, isEnabled, isDefault, description, layers, updatedAt } = store
  return {
    name,
    workspace,
    kind,
    type,
    enabled: isEnabled,
    default: isDefault,
    layers,
    description,
    dateModified: updatedAt,
    href: request.link(storePath(store)),
  }
}

const maxIds = 100

export function toDependentsResponse(dependents: Dependents, imports: readonly number[]) {
  return { dependents: { ...dependents, imports: { total: imports.length, ids: imports.slice(0, maxIds) } } }
}
