import { Type } from 'typebox'
import {
  findDefaultWorkspaceName,
  getWorkspace,
  listWorkspaces,
  saveDefaultWorkspaceName,
  updateWorkspace,
} from '../../catalog/workspaces.ts'
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
  const { catalog } = context
  const db = context.database.kysely

  app.get(
    collection,
    { config: { access: 'user' }, schema: { tags, summary: 'List workspaces' } },
    async (request) => {
      const workspace = (await listWorkspaces(db)).map(({ name }) => ({
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
      await catalog.createWorkspace({ name, isPublic, isDefault: request.query.default ?? false })
      const created = await getWorkspace(db, name)
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
      sendEntity(request, reply, toWireWorkspace(request, await getWorkspace(db, request.params.workspace))),
  )

  app.put(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Change a workspace', params: Params, body: WorkspaceBody },
    },
    async (request) => {
      const current = await getWorkspace(db, request.params.workspace)
      requireMatch(request, toWireWorkspace(request, current))
      const { name, public: isPublic } = request.body.workspace
      if (name !== undefined && name !== current.name)
        throw invalid('invalid-body', `The name of workspace "${current.name}" cannot be changed`)
      await setPublic(context, current.name, isPublic)
      return toWireWorkspace(request, await getWorkspace(db, current.name))
    },
  )

  app.delete(
    item,
    {
      config: { access: 'staff' },
      schema: { tags, summary: 'Delete a workspace', params: Params, querystring: RecurseQuery },
    },
    async (request, reply) => {
      const current = await getWorkspace(db, request.params.workspace)
      requireMatch(request, toWireWorkspace(request, current))
      await catalog.deleteWorkspace(current.name, { recurse: request.query.recurse ?? false })
      return reply.code(200).send()
    },
  )
}

/** The workspace that requests mean which name none. */
function addDefaultWorkspace(app: App, context: HttpContext): void {
  const { catalog } = context
  const db = context.database.kysely
  const path = '/rest/workspaces/default'

  app.get(
    path,
    { config: { access: 'user' }, schema: { tags, summary: 'The default workspace' } },
    async (request, reply) => {
      const name = (await findDefaultWorkspaceName(db)) ?? 'default'
      return sendEntity(request, reply, toWireWorkspace(request, await getWorkspace(db, name)))
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
      const wanted = await getWorkspace(db, name ?? (await catalog.defaultWorkspace()))
      await saveDefaultWorkspaceName(db, wanted.name)
      await setPublic(context, wanted.name, isPublic)
      return toWireWorkspace(request, await getWorkspace(db, wanted.name))
    },
  )
}

async function setPublic(
  { database, clock }: HttpContext,
  name: string,
  isPublic: boolean | undefined,
): Promise<void> {
  if (isPublic === undefined) return
  const at = clock.now().toISOString()
  await database.transaction(async (db) => {
    const current = await getWorkspace(db, name)
    if (current.isPublic !== isPublic) await updateWorkspace(db, name, { isPublic, at })
  })
}
