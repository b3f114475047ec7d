import { Type } from 'typebox'
import type { Rights } from '../../../access/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { forbidden } from '../../app-types.ts'
import { copiesLeft } from '../../caching.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import type { CatalogDeps, PublicAccessDeps } from './catalog-deps.ts'
import { RecurseQuery, unknownWorkspace, WorkspaceParams, workspacePath } from './paths.ts'
import {
  readQuotaBody,
  toUsageResponse,
  toWorkspaceResponse,
  UsageReply,
  WorkspaceBody,
  WorkspaceList,
  WorkspaceReply,
} from './workspace-response.ts'

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
    const made = await catalog.workspaces.create({ name, isPublic, isDefault })
    const { quota } = request.body.workspace
    const created =
      quota === undefined ? made : await catalog.workspaces.change(name, { quota: readQuotaBody(quota) })
    return reply
      .code(201)
      .header('location', request.link(workspacePath(name)))
      .send(toWorkspaceResponse(request, created))
  },
})

export const showWorkspace = operation({
  summary: 'Show one workspace',
  description: 'Public access of the workspace, and links to its stores, layers and styles.',
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
  description:
    'Makes the workspace public or private, or sets its limits (`quota`). Does not affect layers that set `public` themselves.',
  tags,
  params,
  body: WorkspaceBody,
  answers: { 200: WorkspaceReply },
  handle: async ({ sharedMaxAgeSeconds, catalog }: Omit<PublicAccessDeps, 'rules'>, request) => {
    const current = await catalog.workspaces.get(request.params.workspace)
    requireMatch(request, toWorkspaceResponse(request, current))
    const { name, public: isPublic, quota } = request.body.workspace
    if (quota !== undefined) requireQuotaRight(await request.rights(), request)
    if (name !== undefined && name !== current.name)
      throw invalid('invalid-body', `The name of workspace "${current.name}" cannot be changed`)
    const changed = await catalog.workspaces.change(current.name, {
      isPublic,
      quota: quota === undefined ? undefined : readQuotaBody(quota),
    })
    const { workspace } = toWorkspaceResponse(request, changed)
    return {
      workspace: { ...workspace, ...copiesLeft(current.isPublic, changed.isPublic, { sharedMaxAgeSeconds }) },
    }
  },
})

export const showWorkspaceUsage = operation({
  summary: 'Show the usage of a workspace and its limits',
  description:
    'Bytes of files and tables of the server with retained versions, layers, and retained versions, with the limits of the workspace. For callers who may import into the workspace.',
  tags,
  params,
  answers: { 200: UsageReply },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const { workspace } = request.params
    if (!(await request.rights()).canWithin('import', workspace))
      throw forbidden(request.caller, 'import', `workspace "${workspace}"`)
    return toUsageResponse(await catalog.quotas.usage(workspace))
  },
})

/** Limits are set by callers who manage everything, not by those who manage the workspace. */
function requireQuotaRight(rights: Rights, { caller }: FastifyRequest): void {
  if (!rights.can('manage', '*'))
    throw forbidden(caller, 'manage', 'everything: it sets limits of workspaces')
}

export const deleteWorkspace = operation({
  summary: 'Delete a workspace',
  description:
    'Deletes an empty workspace; `?recurse=true` deletes its stores, layers and styles too. `/dependents` lists them beforehand.',
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
  summary: 'Show the default workspace',
  description: 'Workspace of requests that name none; 404 if none is set.',
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
  summary: 'Make a workspace the default',
  description: 'Sets the workspace for requests that name none.',
  tags,
  body: WorkspaceBody,
  answers: { 200: WorkspaceReply },
  handle: async ({ catalog: { workspaces } }: CatalogDeps, request) => {
    const { name, public: isPublic, quota } = request.body.workspace
    if (quota !== undefined)
      throw invalid('invalid-body', 'Limits are set at the path of the workspace itself')
    const workspace = await workspaces.get(name ?? (await workspaces.getDefaultName()))
    await workspaces.makeDefault(workspace.name)
    return toWorkspaceResponse(request, await workspaces.change(workspace.name, { isPublic }))
  },
})
