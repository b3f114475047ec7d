import { Type } from 'typebox'
import type { AccessRules, Permission, Permissions } from '../../access/index.ts'
import { actionsOfRole, resourceText, subjectText } from '../../access/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import {
  ListedPermissions,
  PermissionInput,
  PermissionList,
  PermissionReply,
  readPermission,
  toPermissionResponse,
} from './bodies.ts'

export interface PermissionDeps {
  permissions: Permissions
  rules: Pick<AccessRules, 'now'>
}

const tags = ['security']
const params = Type.Object({ id: Type.Integer({ minimum: 1, description: 'Id of a permission' }) })
const maxAtOnce = 1000

function show(request: FastifyRequest, permission: Permission) {
  return { permission: toPermissionResponse(request, permission) }
}

export const listPermissions = operation({
  summary: 'List permissions',
  description:
    'All permissions by id, or those of a resource or a subject, and the rights of the roles without permissions. Needs the role `admin`.',
  tags,
  query: Type.Object({
    resource: Type.Optional(Type.String({ description: 'Only those for exactly this resource' })),
    user: Type.Optional(Type.String({ description: 'Only those of this user' })),
    group: Type.Optional(Type.String({ description: 'Only those of this group' })),
  }),
  answers: { 200: ListedPermissions },
  handle: async ({ permissions, rules }: PermissionDeps, request) => {
    const { resource, user, group } = request.query
    const found = (await permissions.list()).filter((one) => {
      if (resource !== undefined && resourceText(one) !== resource) return false
      if (user !== undefined && subjectText(one.subject) !== `user ${user}`) return false
      return group === undefined || subjectText(one.subject) === `group ${group}`
    })
    const now = await rules.now()
    const roles = {
      admin: actionsOfRole(now, 'admin'),
      staff: actionsOfRole(now, 'staff'),
      user: actionsOfRole(now, 'user'),
    }
    return { permissions: found.map((one) => toPermissionResponse(request, one)), roles }
  },
})

export const createPermissions = operation({
  summary: 'Create one permission or many, or delete many',
  description:
    '`permission` creates one. `permissions` creates a list and `delete` names ids to delete, in one transaction: all or nothing. Needs the role `admin`.',
  tags,
  idempotent: true,
  body: Type.Object({
    permission: Type.Optional(PermissionInput),
    permissions: Type.Optional(Type.Array(PermissionInput, { maxItems: maxAtOnce })),
    delete: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: maxAtOnce })),
  }),
  answers: { 200: PermissionList, 201: PermissionReply },
  handle: async ({ permissions }: PermissionDeps, request, reply) => {
    const { permission, permissions: many = [], delete: removed = [] } = request.body
    if (permission === undefined && many.length === 0 && removed.length === 0)
      throw invalid('invalid-body', 'The body needs "permission", "permissions" or "delete"')
    const create = [...(permission === undefined ? [] : [permission]), ...many].map(readPermission)
    const made = await permissions.apply({ create, delete: removed })
    const [only] = made
    if (permission === undefined || only === undefined || made.length > 1 || removed.length > 0)
      return { permissions: made.map((one) => toPermissionResponse(request, one)) }
    const shown = show(request, only)
    return reply.code(201).header('location', shown.permission.href).send(shown)
  },
})

export const showPermission = operation({
  summary: 'Show one permission',
  description: 'Subject, resource and actions of one permission. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: PermissionReply },
  handle: async ({ permissions }: PermissionDeps, request, reply) =>
    sendEntity(request, reply, show(request, await permissions.get(request.params.id))),
})

export const changePermission = operation({
  summary: 'Replace a permission',
  description: 'Replaces subject, resource and actions of a permission. Needs the role `admin`.',
  tags,
  params,
  body: Type.Object({ permission: PermissionInput }),
  answers: { 200: PermissionReply },
  handle: async ({ permissions }: PermissionDeps, request) => {
    const changed = await permissions.change(request.params.id, (present) => {
      requireMatch(request, show(request, present))
      return readPermission(request.body.permission)
    })
    return show(request, changed)
  },
})

export const deletePermission = operation({
  summary: 'Delete a permission',
  description: 'Takes effect with the next request of the subject. Needs the role `admin`.',
  tags,
  params,
  answers: { 200: empty() },
  handle: async ({ permissions }: PermissionDeps, request, reply) => {
    requireMatch(request, show(request, await permissions.get(request.params.id)))
    await permissions.apply({ delete: [request.params.id] })
    return reply.code(200).send()
  },
})
