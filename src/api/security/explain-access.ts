import { Type } from 'typebox'
import {
  type AccessRules,
  type Accounts,
  anonymous,
  type Caller,
  explain,
  hasRole,
  parseResource,
  type Resource,
} from '../../access/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { Failure, notFound } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { operation } from '../endpoint.ts'
import { AccessReply, toDecisionResponse } from './bodies.ts'

export interface ExplainDeps {
  rules: Pick<AccessRules, 'now'>
  users: Pick<Accounts['users'], 'get'>
  catalog: Pick<Catalog, 'layers' | 'workspaces'>
}

export const explainAccess = operation({
  summary: 'Show the rights of a user on a resource, with the deciding rules',
  description:
    'The decision for each action. Without `user`: for the caller; with an empty `user`: for anonymous callers. About others needs the role `admin`.',
  tags: ['security'],
  query: Type.Object({
    resource: Type.String({ maxLength: 1000, description: '`*`, `<workspace>` or `<workspace>:<layer>`' }),
    user: Type.Optional(Type.String({ maxLength: 200, description: 'Name of a user' })),
  }),
  answers: { 200: AccessReply },
  handle: async ({ rules, users, catalog }: ExplainDeps, request) => {
    const { resource: text, user } = request.query
    const subject = await subjectOf(users, request, user)
    const resource = await findResource(catalog, request, text)
    const now = await rules.now()
    return {
      access: {
        resource: text,
        user: subject.name ?? null,
        role: subject.role,
        groups: [...(subject.groups ?? now.data.groupsOf.get(subject.name ?? '') ?? [])].toSorted(),
        decisions: explain(now, subject, resource).map(toDecisionResponse),
      },
    }
  },
})

async function subjectOf(
  users: Pick<Accounts['users'], 'get'>,
  { caller }: FastifyRequest,
  name: string | undefined,
): Promise<Caller> {
  if (name === undefined || name === caller.name) return caller
  if (!hasRole(caller, 'admin'))
    throw new Failure(
      'forbidden',
      'not-allowed',
      `Rights of other users need the role admin; ${caller.name} is ${caller.role}`,
    )
  if (name === '') return anonymous
  const user = await users.get(name)
  return user.isEnabled ? { name, role: user.role, by: 'local' } : { ...anonymous, name }
}

/** A resource that the caller may not read counts as missing. */
async function findResource(
  { layers, workspaces }: ExplainDeps['catalog'],
  request: FastifyRequest,
  text: string,
): Promise<Resource> {
  const { workspace, layer } = parseResource(text)
  if (workspace === undefined) return '*'
  const rights = await request.rights()
  if (layer === undefined) {
    const isKnown = rights.can('read', { workspace }) || rights.canWithin('read', workspace)
    if (isKnown && (await workspaces.find(workspace)) !== undefined) return { workspace }
    throw notFound('unknown-workspace', `Workspace "${workspace}" does not exist`)
  }
  const found = await layers.findForReading(workspace, layer)
  if (found !== undefined && rights.can('read', found)) return found
  throw notFound('unknown-layer', `Layer "${text}" does not exist`)
}
