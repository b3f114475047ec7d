import { Type } from 'typebox'
import { invalid } from '../../../core/errors/errors.ts'
import { copiesLeft } from '../../caching.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import type { CatalogDeps, PublicAccessDeps } from './catalog-deps.ts'
import { RecurseQuery, unknownWorkspace, WorkspaceParams, workspacePath } from './paths.ts'
import { toWorkspaceResponse, WorkspaceBody, WorkspaceList, WorkspaceReply } from './workspace-response.ts'

const tags = ['workspaces']
const params = WorkspaceParams

export const listWorkspaces = operation({
  summary: 'List workspaces',
  description: 'Names of the workspaces that the caller may see, with links.',
  tags,
  answers: { 200: WorkspaceList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const rights = await request.rights()
    const workspaces = (await catalog.workspaces.list()).filter(
      ({ name }) => rights.can('read', { workspace: name }) || rights.canWithin('read', name),
    )
    const workspace = workspaces.map(({ name }) => ({ name, href: request.link(workspacePath(name)) }))
    return { workspaces: { workspace } }
  },
})

export const createWorkspace = operation({
  summary: 'Create a workspace',
  description:
    'A workspace holds stores, layers and styles. Without `public: true` only users read its layers. `?default=true` makes it the default.',
  tags,
  idempotent: true,
  query: Type.Object({
    default: Type.Optional(Type.Boolean({ description: 'Make it the default workspace' })),
  }),
  body: WorkspaceBody,
  answers: { 201: WorkspaceReply },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const { name, public: isPublic = false } = request.body.workspace
    if (name === undefined) throw invalid('invalid-body', 'A new workspace needs "workspace.name"')
    const isDefault = request.query.default ?? false
    const created = await catalog.workspaces.create({ name, isPublic, isDefault })
    return reply
      .code(201)
      .header('location', request.link(workspacePath(name)))
      .send(toWorkspaceResponse(request, created))
  },
})

export const showWorkspace = operation({
  summary: 'One workspace',
  description: 'Whether the workspace is public, and links to its stores, layers and styles.',
  tags,
  params,
  answers: { 200: WorkspaceReply },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const workspace = await catalog.workspaces.get(request.params.workspace)
    return sendEntity(request, reply, toWorkspaceResponse(request, workspace))
  },
})

export const changeWorkspace = operation({
  summary: 'Change a workspace',
  description: 'Makes the workspace public or private. Layers with a `public` of their own keep it.',
  tags,
  params,
  body: WorkspaceBody,
  answers: { 200: WorkspaceReply },
  handle: async ({ sharedMaxAgeSeconds, catalog }: Omit<PublicAccessDeps, 'rules'>, request) => {
    const current = await catalog.workspaces.get(request.params.workspace)
    requireMatch(request, toWorkspaceResponse(request, current))
    const { name, public: isPublic } = request.body.workspace
    if (name !== undefined && name !== current.name)
      throw invalid('invalid-body', `The name of workspace "${current.name}" cannot be changed`)
    const changed = await catalog.workspaces.change(current.name, { isPublic })
    const { workspace } = toWorkspaceResponse(request, changed)
    return {
      workspace: { ...workspace, ...copiesLeft(current.isPublic, changed.isPublic, { sharedMaxAgeSeconds }) },
    }
  },
})

export const deleteWorkspace = operation({
  summary: 'Delete a workspace',
  description:
    'An empty workspace is deleted; `?recurse=true` deletes its stores, layers and styles too. `/dependents` tells beforehand what that is.',
  tags,
  params,
  query: RecurseQuery,
  answers: { 200: empty() },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const current = await catalog.workspaces.get(request.params.workspace)
    requireMatch(request, toWorkspaceResponse(request, current))
    await catalog.workspaces.delete(current.name, { recurse: request.query.recurse ?? false })
    return reply.code(200).send()
  },
})

/** The default workspace applies to requests that name none. */
export const showDefaultWorkspace = operation({
  summary: 'The default workspace',
  description: 'The workspace that is meant where a request names none; 404 where there is none.',
  tags,
  answers: { 200: WorkspaceReply },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const name = (await catalog.workspaces.findDefaultName()) ?? 'default'
    const rights = await request.rights()
    if (!rights.can('read', { workspace: name }) && !rights.canWithin('read', name))
      throw unknownWorkspace(name)
    return sendEntity(request, reply, toWorkspaceResponse(request, await catalog.workspaces.get(name)))
  },
})

export const changeDefaultWorkspace = operation({
  summary: 'Make a workspace the default one',
  description: 'Names the workspace that is meant where a request names none.',
  tags,
  body: WorkspaceBody,
  answers: { 200: WorkspaceReply },
  handle: async ({ catalog: { workspaces } }: CatalogDeps, request) => {
    const { name, public: isPublic } = request.body.workspace
    const workspace = await workspaces.get(name ?? (await workspaces.getDefaultName()))
    await workspaces.makeDefault(workspace.name)
    return toWorkspaceResponse(request, await workspaces.change(workspace.name, { isPublic }))
  },
})
