import { type Call, call } from '../api/client.ts'
import type { Calls } from '../api/openapi.d.ts'
import { Resource } from '../lib/resource.ts'
import { accessTexts } from '../messages/access/texts.ts'

export const actions = ['read', 'download', 'edit', 'import', 'manage'] as const
export type Action = (typeof actions)[number]

type Listed = Calls['GET /rest/security/permissions']['answer']
export type Permission = Listed['permissions'][number]
export type Subject = Permission['subject']
export type Access = Calls['GET /rest/security/access']['answer']['access']

export const permissionsPath = '/rest/security/permissions'

/** Permissions for a resource and for what contains it, and the rights of the roles. */
export interface KnownPermissions {
  permissions: Permission[]
  roles: Listed['roles']
}

export function listCall(resource: string): Call {
  return { path: permissionsPath, query: { resource } }
}

/** Returns the resource, its workspace and `*`, the narrowest first. */
export function scopesOf(resource: string): string[] {
  const colon = resource.indexOf(':')
  const own = resource === '*' ? [] : [resource]
  return [...own, ...(colon < 0 ? [] : [resource.slice(0, colon)]), '*']
}

/** Loads the permissions that apply to a resource. */
export async function findPermissions(resource: string, signal: AbortSignal): Promise<KnownPermissions> {
  const found = await Promise.all(scopesOf(resource).map((scope) => call<Listed>(listCall(scope), signal)))
  const roles = found[0]?.roles ?? { admin: [], staff: [], user: [] }
  return { permissions: found.flatMap(({ permissions }) => permissions), roles }
}

/** Returns a subject as people name it: `Group gis`. */
export function subjectName({ user, group, authenticated }: Subject): string {
  const { subjects, everyone } = accessTexts.value
  if (user !== undefined) return `${subjects.user} ${user}`
  if (group !== undefined) return `${subjects.group} ${group}`
  return authenticated === true ? subjects.authenticated : everyone
}

/** Returns the scope of a permission as text, seen from a resource. */
export function scopeName(scope: string, resource: string): string {
  const texts = accessTexts.value
  if (scope === '*') return texts.everywhere
  if (scope.includes(':')) return scope === resource ? texts.thisLayer : scope
  return scope === resource ? texts.thisWorkspace : texts.workspace(scope)
}

export function actionNames(given: readonly Action[]): string {
  const { kinds } = accessTexts.value
  return given.map((action) => kinds[action]).join(', ')
}

/** Names of users, for choices. */
export const userNames = new Resource(async (signal) => {
  type Reply = Calls['GET /rest/security/users']['answer']
  return (await call<Reply>({ path: '/rest/security/users' }, signal)).users.map(({ name }) => name)
})

/** Names of groups, for choices. */
export const groupNames = new Resource(async (signal) => {
  type Reply = Calls['GET /rest/security/groups']['answer']
  return (await call<Reply>({ path: '/rest/security/groups' }, signal)).groups.map(({ name }) => name)
})
