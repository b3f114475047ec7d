import { Type } from 'typebox'
import type { Accounts, Permissions } from '../../../access/index.ts'
import type { Catalog } from '../../../catalog/index.ts'
import { conflict, invalid, notFound } from '../../../core/errors/errors.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import type { XmlElement } from '../../../core/text/xml-tree.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import type { PublicPlace, RoleRules, RuleChange } from './rules.ts'
import { permissionsOfRules, planRules, toRoleRules } from './rules.ts'

/** Dependencies of the endpoints of access rules. */
export interface AclDeps {
  permissions: Pick<Permissions, 'list' | 'apply'>
  groups: Pick<Accounts['groups'], 'list' | 'create' | 'delete'>
  catalog: Pick<Catalog, 'workspaces' | 'layers'>
}

const tags = ['geoserver']
const Rules = Type.Record(Type.String(), Type.String({ maxLength: 10_000 }), {
  maxProperties: 1000,
  description: 'Roles, separated by commas, by `workspace.layer.access`; access is `r`, `w` or `a`',
})

/** `<rules><rule resource="city.roads.r">ROLE_A,ROLE_B</rule></rules>` */
const xml = {
  read: readRulesXml,
  write: (rules: unknown): string => {
    const lines = Object.entries(rules as Record<string, string>).map(
      ([key, roles]) => `<rule resource="${escapeXml(key)}">${escapeXml(roles)}</rule>`,
    )
    return `<rules>${lines.join('')}</rules>`
  },
}

function readRulesXml({ name, children }: XmlElement): Record<string, string> {
  if (name !== 'rules')
    throw invalid('invalid-body', `The root element is <${name.slice(0, 80)}>; taken here: <rules>`)
  return Object.fromEntries(
    children.map((rule) => {
      const key = rule.attributes['resource']
      if (rule.name !== 'rule' || key === undefined)
        throw invalid('invalid-body', 'A rule is <rule resource="workspace.layer.r">ROLE,ROLE</rule>')
      return [key, rule.text.trim()]
    }),
  )
}

export const listAclRules = operation({
  summary: 'List permissions as access rules of GeoServer',
  description:
    'Groups are roles; public layers and workspaces have the role `*`. Permissions of single users, and to import, have no rule. Needs the role `admin`.',
  tags,
  xml,
  answers: { 200: Rules },
  handle: async (deps: AclDeps) => {
    const { permissions, places } = await readPresent(deps)
    return toText(toRoleRules(permissions, places))
  },
})

export const createAclRules = operation({
  summary: 'Add access rules, which become permissions',
  description:
    'All rules are taken or none: the error lists what cannot be expressed, such as a rule that narrows a present one. Roles become groups. 409 if a rule of the same key exists. Needs the role `admin`.',
  tags,
  xml,
  body: Rules,
  answers: { 200: empty() },
  handle: async (deps: AclDeps, request, reply) => {
    const added = readRules(request.body)
    const { permissions, places } = await readPresent(deps)
    const present = toRoleRules(permissions, places)
    for (const key of added.keys())
      if (present.has(key)) throw conflict('rule-exists', `Rule "${key}" exists already: PUT replaces it`)
    await applyChange(deps, { ...planRules(present, added, await readKnown(deps)), delete: [] })
    return reply.code(200).send()
  },
})

export const changeAclRules = operation({
  summary: 'Replace access rules',
  description:
    'Replaces the roles of rules that exist, all or none. 404 if one does not. Needs the role `admin`.',
  tags,
  xml,
  body: Rules,
  answers: { 200: empty() },
  handle: async (deps: AclDeps, request, reply) => {
    const changed = readRules(request.body)
    const { permissions, places } = await readPresent(deps)
    const present = toRoleRules(permissions, places)
    for (const key of changed.keys()) requireRule(present, key)
    const removed = permissionsOfRules(permissions, places, new Set(changed.keys()))
    const others = new Map([...present].filter(([key]) => !changed.has(key)))
    const plan = planRules(others, changed, await readKnown(deps))
    await applyChange(deps, { ...plan, delete: removed })
    return reply.code(200).send()
  },
})

export const deleteAclRule = operation({
  summary: 'Delete an access rule',
  description: 'Deletes the permissions that give the rule. Needs the role `admin`.',
  tags,
  params: Type.Object({ rule: Type.String({ description: 'Key of a rule, such as `city.roads.r`' }) }),
  answers: { 200: empty() },
  handle: async (deps: AclDeps, request, reply) => {
    const { rule } = request.params
    const { permissions, places } = await readPresent(deps)
    requireRule(toRoleRules(permissions, places), rule)
    const removed = permissionsOfRules(permissions, places, new Set([rule]))
    await deps.permissions.apply({ delete: removed })
    return reply.code(200).send()
  },
})

function toText(rules: RoleRules): Record<string, string> {
  const sorted = [...rules].sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, roles]) => [key, [...roles].join(',')]))
}

function readRules(body: Readonly<Record<string, string>>): Map<string, Set<string>> {
  const entries = Object.entries(body)
  if (entries.length === 0) throw invalid('invalid-body', 'The body has no rule')
  return new Map(entries.map(([key, roles]) => [key, new Set(roles.split(',').map((role) => role.trim()))]))
}

function requireRule(present: RoleRules, key: string): void {
  if (!present.has(key)) throw notFound('unknown-access-rule', `There is no rule "${key}"`)
}

async function readPresent({ permissions, catalog }: Pick<AclDeps, 'permissions' | 'catalog'>) {
  const workspaces = await catalog.workspaces.list()
  const layers = await catalog.layers.list()
  const places: PublicPlace[] = [
    ...workspaces.filter(({ isPublic }) => isPublic).map(({ name: workspace }) => ({ workspace })),
    ...layers
      .filter(({ isPublic }) => isPublic === true)
      .map(({ workspace, name: layer }) => ({ workspace, layer })),
  ]
  return { permissions: await permissions.list(), places }
}

async function readKnown({ catalog }: Pick<AclDeps, 'catalog'>) {
  const workspaces = (await catalog.workspaces.list()).map(({ name }) => name)
  const layers = (await catalog.layers.listNames()).map(({ workspace, name }) => `${workspace}:${name}`)
  return { workspaces, layers }
}

/** Creates the missing groups and changes the permissions; groups that it created go again if that fails. */
async function applyChange(
  { permissions, groups }: Pick<AclDeps, 'permissions' | 'groups'>,
  { groups: needed, ...change }: RuleChange,
): Promise<void> {
  const present = new Set((await groups.list()).map(({ name }) => name))
  const created: string[] = []
  try {
    for (const name of needed) {
      if (present.has(name)) continue
      await groups.create({ name })
      created.push(name)
    }
    await permissions.apply(change)
  } catch (error) {
    for (const name of created) await groups.delete(name)
    throw error
  }
}
