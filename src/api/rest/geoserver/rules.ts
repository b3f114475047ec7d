import { readLayerRuleList } from '../../../access/geoserver-rules.ts'
import type { KnownObjects, RuleSubject } from '../../../access/imported-rules.ts'
import type { Permission, PermissionValues } from '../../../access/index.ts'
import { actions as allActions, parseResource } from '../../../access/index.ts'
import { conflict, invalid } from '../../../core/errors/errors.ts'

/** Roles by the key of a rule, such as `city.roads.r`. */
export type RoleRules = ReadonlyMap<string, ReadonlySet<string>>

/** A layer or workspace that everyone may read. */
export interface PublicPlace {
  workspace: string
  layer?: string
}

/** Permissions that a change of rules creates and deletes, and the groups that it needs. */
export interface RuleChange {
  create: PermissionValues[]
  delete: number[]
  groups: string[]
}

function keyOf(
  { workspace, layer }: { workspace?: string | undefined; layer?: string | undefined },
  access: string,
) {
  const name = (text: string | undefined): string => text?.replaceAll('.', '\\.') ?? '*'
  return `${name(workspace)}.${name(layer)}.${access}`
}

/** Returns the role of a subject; undefined for a user, whom rules of GeoServer cannot name. */
function roleOf({ subject }: Pick<Permission, 'subject'>): string | undefined {
  if (subject.kind === 'everyone') return '*'
  if (subject.kind === 'authenticated') return 'ROLE_AUTHENTICATED'
  return subject.kind === 'group' ? subject.name : undefined
}

/** Returns the keys of the rules that say what a permission says. */
function keysOf(permission: Permission): string[] {
  const { actions, layer } = permission
  const has = (...some: string[]): boolean => actions.some((one) => some.includes(one))
  const isManaged = has('manage')
  // Only workspaces have administrators in GeoServer.
  if (isManaged && layer === undefined) return [keyOf(permission, 'a')]
  return [
    ...(isManaged || has('read', 'download') ? [keyOf(permission, 'r')] : []),
    ...(isManaged || has('edit') ? [keyOf(permission, 'w')] : []),
  ]
}

/** Returns permissions and public places as rules of GeoServer. */
export function toRoleRules(
  permissions: readonly Permission[],
  places: readonly PublicPlace[],
): Map<string, Set<string>> {
  const rules = new Map<string, Set<string>>()
  const add = (key: string, role: string): void =>
    void rules.set(key, (rules.get(key) ?? new Set()).add(role))
  for (const place of places) add(keyOf(place, 'r'), '*')
  for (const permission of permissions) {
    const role = roleOf(permission)
    if (role !== undefined) for (const key of keysOf(permission)) add(key, role)
  }
  return rules
}

/**
 * Returns the permissions that new rules become. Throws `Failure` (`invalid`) that lists all rules that cannot be expressed,
 * also present ones that a new rule would narrow: permissions add up.
 */
export function planRules(
  present: RoleRules,
  added: RoleRules,
  known: KnownObjects,
): Omit<RuleChange, 'delete'> {
  const all = [...present, ...added].map(([key, roles], index) => ({
    line: index + 1,
    key,
    value: [...roles].join(','),
  }))
  const { taken, notTaken, bad } = readLayerRuleList(all, known)
  const mistakes = [...bad, ...notTaken].map(({ rule, reason }) => `${rule}: ${reason}`)
  const [first] = mistakes
  if (first !== undefined) {
    const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more)` : ''
    throw invalid('invalid-rule', `${first}${more}. Nothing was changed`, { errors: mistakes })
  }
  const fresh = taken.filter(({ line }) => line > present.size)
  const create = fresh.map(({ subject, resource, actions }) => ({
    subject: toSubject(subject),
    ...parseResource(resource),
    actions: allActions.filter((action) => actions.includes(action)),
  }))
  const groups = fresh.flatMap(({ subject }) => ('group' in subject ? [subject.group] : []))
  return { create, groups: [...new Set(groups)] }
}

function toSubject(subject: RuleSubject): PermissionValues['subject'] {
  if ('user' in subject) return { kind: 'user', name: subject.user }
  if ('group' in subject) return { kind: 'group', name: subject.group }
  return { kind: 'everyone' in subject ? 'everyone' : 'authenticated' }
}

/**
 * Returns the ids of the permissions that give the rules of some keys. Throws `Failure` (`conflict`) if a permission gives more
 * than these rules, or if something public gives one.
 */
export function permissionsOfRules(
  permissions: readonly Permission[],
  places: readonly PublicPlace[],
  keys: ReadonlySet<string>,
): number[] {
  const open = places.find((place) => keys.has(keyOf(place, 'r')))
  if (open !== undefined)
    throw conflict(
      'rule-of-public',
      `"${open.layer === undefined ? open.workspace : `${open.workspace}:${open.layer}`}" is public: set "public" to false instead`,
    )
  return permissions.flatMap((permission) => {
    const given = roleOf(permission) === undefined ? [] : keysOf(permission)
    const removed = given.filter((key) => keys.has(key))
    if (removed.length === 0) return []
    if (removed.length === given.length) return [permission.id]
    throw conflict(
      'rule-shared',
      `Permission ${permission.id} gives ${given.join(' and ')} together: change it with PUT /rest/security/permissions/${permission.id}`,
    )
  })
}
