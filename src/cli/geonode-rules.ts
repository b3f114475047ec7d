import type { KnownObjects, ReadRules, RuleSubject } from '../access/imported-rules.ts'
import { anonymousEdits } from '../access/imported-rules.ts'
import { ownValue } from '../core/values/record-keys.ts'

/** Options that map the names of GeoNode's resources to layers. */
interface GeoNodeOptions {
  /** Workspace of all layers; default: the workspace in the name of the resource. */
  workspace?: string | undefined
  /** The resource that the permissions apply to, if the file does not name resources. */
  resource?: string | undefined
}

/** Permissions of GeoNode by action. All other permissions have no counterpart. */
const actionsOf: Record<string, string> = {
  view_resourcebase: 'read',
  download_resourcebase: 'download',
  change_dataset_data: 'edit',
  change_layer_data: 'edit',
}
/** All of these together mean `manage`. */
const managing = ['change_resourcebase', 'delete_resourcebase', 'change_resourcebase_permissions']
/** Parts of `change_resourcebase`, which `manage` includes. */
const managed = [
  'change_resourcebase_metadata',
  'publish_resourcebase',
  'change_dataset_style',
  'change_layer_style',
  'feature_resourcebase',
]
/** Permissions by access level, for files that list levels instead of permissions. */
const levels: Record<string, readonly string[]> = {
  none: [],
  view: ['read'],
  download: ['read', 'download'],
  edit: ['read', 'download', 'edit'],
  manage: ['manage'],
  owner: ['manage'],
}

type Entry = Record<string, unknown>

/**
 * Reads permissions of GeoNode as JSON: an object by resource (`{"geonode:trees": {"users": {}, "groups": {}}}`), a list of
 * resources with `alternate` and `perms`, as its API has them, or the permissions of one resource.
 */
export function readGeoNodeRules(text: string, known: KnownObjects, options: GeoNodeOptions): ReadRules {
  const read: ReadRules = { taken: [], notTaken: [], bad: [] }
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const position = Number(/position (\d+)/.exec(reason)?.[1] ?? text.length)
    read.bad.push({ line: lineAt(text, position), rule: '', reason: `it is not JSON: ${reason}` })
    return read
  }
  for (const { name, permissions } of resourcesIn(content, options)) {
    const line = lineAt(text, Math.max(0, text.indexOf(JSON.stringify(name))))
    takeResource({ line, name, permissions }, known, options, read)
  }
  return read
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function resourcesIn(
  content: unknown,
  { resource }: GeoNodeOptions,
): { name: string; permissions: unknown }[] {
  if (isObject(content) && ('users' in content || 'groups' in content || 'organizations' in content))
    return [{ name: resource ?? '', permissions: content }]
  const inner = isObject(content) ? (content['resources'] ?? content['datasets'] ?? content) : content
  if (Array.isArray(inner))
    return inner.map((one) => ({
      name: String(readKey(one, 'alternate') ?? readKey(one, 'resource') ?? ''),
      permissions: readKey(one, 'perms') ?? readKey(one, 'permissions') ?? one,
    }))
  return isObject(inner) ? Object.entries(inner).map(([name, permissions]) => ({ name, permissions })) : []
}

function readKey(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined
}

interface ResourceRules {
  line: number
  name: string
  permissions: unknown
}

function takeResource(
  { line, name, permissions }: ResourceRules,
  known: KnownObjects,
  { workspace }: GeoNodeOptions,
  read: ReadRules,
): void {
  if (name === '') {
    read.bad.push({
      line,
      rule: '',
      reason: 'the resource has no name ("alternate"); name the one of a single resource with --resource',
    })
    return
  }
  if (!isObject(permissions)) {
    read.bad.push({ line, rule: name, reason: 'the permissions are an object with "users" and "groups"' })
    return
  }
  const local = name.slice(name.indexOf(':') + 1)
  const layer = workspace === undefined ? name : `${workspace}:${local}`
  if (!known.layers.includes(layer)) {
    read.notTaken.push({ line, rule: name, reason: `layer "${layer}" does not exist here` })
    return
  }
  for (const { subject, label, given } of subjectsIn(permissions))
    takeSubject({ line, rule: `${name}, ${label}`, subject, given, layer }, read)
}

interface SubjectRules {
  subject: RuleSubject
  label: string
  given: unknown
}

function subjectsIn(permissions: Entry): SubjectRules[] {
  const ofKind = (key: string, kind: 'user' | 'group'): SubjectRules[] => {
    const value = permissions[key]
    const pairs: [string, unknown][] = Array.isArray(value)
      ? value.map((one) => [
          String(readKey(one, kind === 'user' ? 'username' : 'name') ?? ''),
          readKey(one, 'permissions'),
        ])
      : Object.entries(Object(value))
    return pairs.map(([name, given]) => ({ subject: subjectOf(kind, name), label: `${kind} ${name}`, given }))
  }
  return [...ofKind('users', 'user'), ...ofKind('groups', 'group'), ...ofKind('organizations', 'group')]
}

function subjectOf(kind: 'user' | 'group', name: string): RuleSubject {
  if (name === 'AnonymousUser' || (kind === 'group' && name === 'anonymous')) return { everyone: true }
  if (kind === 'group' && name === 'registered-members') return { authenticated: true }
  return kind === 'user' ? { user: name } : { group: name }
}

function takeSubject(
  {
    line,
    rule,
    subject,
    given: value,
    layer,
  }: Omit<SubjectRules, 'label'> & { line: number; rule: string; layer: string },
  read: ReadRules,
): void {
  const refuse = (reason: string): void => void read.notTaken.push({ line, rule, reason })
  const found = typeof value === 'string' ? ownValue(levels, value) : toActions(value, refuse)
  if (found === undefined) {
    read.bad.push({
      line,
      rule,
      reason: `permissions are a list of texts, or one of ${Object.keys(levels).join(', ')}`,
    })
    return
  }
  const actions = found.filter((action) => {
    if (!('everyone' in subject) || (action !== 'edit' && action !== 'manage')) return true
    refuse(action === 'edit' ? anonymousEdits.replace('RESOURCE', layer) : 'everyone cannot manage a layer')
    return false
  })
  if (actions.length > 0) read.taken.push({ line, rule, subject, resource: layer, actions })
}

/** Returns the actions of a list of permissions; undefined for any other value. */
function toActions(given: unknown, refuse: (reason: string) => void): string[] | undefined {
  if (!Array.isArray(given) || given.some((one) => typeof one !== 'string')) return undefined
  const names = new Set(given as string[])
  if (managing.every((name) => names.has(name))) return ['manage']
  const actions = new Set<string>()
  for (const name of names) {
    const action = ownValue(actionsOf, name)
    if (action !== undefined) actions.add(action)
    else if (managing.includes(name) || managed.includes(name))
      refuse(`${name}: "manage" would give more, and nothing gives it alone`)
    else refuse(`${name} is not a permission that has a counterpart`)
  }
  return [...actions]
}
