import { Type } from 'typebox'
import type { Workspace } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { CopiesLiveSeconds } from '../../caching.ts'
import { Linked, workspacePath } from './paths.ts'

export const WorkspaceBody = Type.Object({
  workspace: Type.Object({
    name: Type.Optional(Type.String()),
    public: Type.Optional(Type.Boolean({ description: 'Whether anonymous people may read its layers' })),
  }),
})

export const WorkspaceList = Type.Object({ workspaces: Type.Object({ workspace: Type.Array(Linked) }) })

export const WorkspaceReply = Type.Object({
  workspace: Type.Object({
    name: Type.String(),
    isolated: Type.Boolean(),
    public: Type.Boolean({ description: 'Whether anonymous people may read its layers' }),
    copiesLiveSeconds: CopiesLiveSeconds,
    href: Type.String(),
    dataStores: Type.String({ description: 'Where its data stores are listed' }),
    coverageStores: Type.String({ description: 'Where its coverage stores are listed' }),
    layers: Type.String({ description: 'Where its layers are listed' }),
    styles: Type.String({ description: 'Where its styles are listed' }),
    dateCreated: Type.String(),
    dateModified: Type.String(),
  }),
})

export function toWorkspaceResponse(request: FastifyRequest, workspace: Workspace) {
  const path = workspacePath(workspace.name)
  return {
    workspace: {
      name: workspace.name,
      isolated: false,
      public: workspace.isPublic,
      href: request.link(path),
      dataStores: request.link(`${path}/datastores`),
      coverageStores: request.link(`${path}/coveragestores`),
      layers: request.link(`${path}/layers`),
      styles: request.link(`${path}/styles`),
      dateCreated: workspace.createdAt,
      dateModified: workspace.updatedAt,
    },
  }
}
