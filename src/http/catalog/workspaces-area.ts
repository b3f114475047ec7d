import { Type } from 'typebox'
import { invalid } from '../../lib/errors.ts'
import type { App, Area, HttpContext } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import { RecurseQuery, toWireWorkspace, WorkspaceBody, workspacePath } from './wire.ts'

const tags = ['workspaces']
const Params = Type.Object({ workspace: Type.String() })
const CreateQuery = Type.Object({ default: Type.Optional(Type.Boolean()) })
const collection = '/rest/workspaces'
const item = '/rest/workspaces/:workspace'

/** `/rest/workspaces[/<ws>]`, and `/rest/workspaces/default`. */
export const workspacesArea: Area = (app, context) => {
  const { workspaces } = context.catalog

  app.get(
    collection,
    { config: { access: 'user' }, schema: { tags, summary: 'List workspaces' } },
    async (request) => {
      const workspace = (await workspaces.list()).map(({ name }) => ({
        name,
        href: request.link(workspacePath(name)),
      }))
      return { workspaces: { workspace } }
    },
  )

  app.post(
    collection,
    {
      config: { access: 'staff', idempotent: true },
      schema: { tags, summary: 'Create a workspace', body: WorkspaceBody, querystring: CreateQuery },
    },
    async (request, reply) => {
      const { name, public: isPublic = false } = request.body.workspace
      if (name === undefined) throw invalid('invalid-body', 'A new workspace needs "workspace.name"')
      const isDefault = request.query.default ?? false
      const created = await workspaces.create({ name, isPublic, isDefault })
      return reply
        .code(201)
        .header('location', request.link(workspacePath(name)))
        .send(toWireWorkspace(request, created))
    },
  )

  addDefaultWorkspace(app, context)

  app.get(
    item,
    { config: { access: 'workspace' }, schema: { tags, summary: 'One workspace', params: Params } },
    async (request, reply) =>
      sendEntity(request, reply, toWireWorkspace(request, await workspaces.get(request.params.workspace))),
  )

  app.put(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Change a workspace', params: Params, body: WorkspaceBody },
    },
    async (request) => {
      const current = await workspaces.get(request.params.workspace)
      requireMatch(request, toWireWorkspace(request, current))
      const { name, public: isPublic } = request.body.workspace
      if (name !== undefined && name !== current.name)
        throw invalid('invalid-body', `The name of workspace "${current.name}" cannot be changed`)
      return toWireWorkspace(request, await workspaces.change(current.name, { isPublic }))
    },
  )

  app.delete(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Delete a workspace', params: Params, querystring: RecurseQuery },
    },
    async (request, reply) => {
      const current = await workspaces.get(request.params.workspace)
      requireMatch(request, toWireWorkspace(request, current))
      await workspaces.delete(current.name, { recurse: request.query.recurse ?? false })
      return reply.code(200).send()
    },
  )
}

/** The workspace that requests mean which name none. */
function addDefaultWorkspace(app: App, context: HttpContext): void {
  const { workspaces } = context.catalog
  const path = '/rest/workspaces/default'

  app.get(
    path,
    { config: { access: 'user' }, schema: { tags, summary: 'The default workspace' } },
    async (request, reply) => {
      const name = (await workspaces.findDefaultName()) ?? 'default'
      return sendEntity(request, reply, toWireWorkspace(request, await workspaces.get(name)))
    },
  )

  app.put(
    path,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Make a workspace the default one', body: WorkspaceBody },
    },
    async (request) => {
      const { name, public: isPublic } = request.body.workspace
      const wanted = await workspaces.get(name ?? (await workspaces.getDefaultName()))
      await workspaces.makeDefault(wanted.name)
      return toWireWorkspace(request, await workspaces.change(wanted.name, { isPublic }))
    },
  )
}
