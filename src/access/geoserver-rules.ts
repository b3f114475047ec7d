import { type Property, readProperties } from '../core/text/java-properties.ts'
import type { KnownObjects, NotTaken, ReadRules, RulePermission, RuleSubject } from './imported-rules.ts'
import { anonymousEdits, layersIn } from './imported-rules.ts'

type Access = 'r' | 'w' | 'a'

/** A line of `layers.properties`: the roles that may read (r), write (w) or administer (a) something. */
interface LayerRule {
  line: number
  rule: string
  workspace: string
  layer: string
  access: Access
  roles: string[]
}

const actionsOf: Record<Access, readonly string[]> = { r: ['read', 'download'], w: ['edit'], a: ['manage'] }
/** Roles of administrators, who may do everything here too. */
const adminRoles = new Set(['ADMIN', 'GROUP_ADMIN', 'ROLE_ADMINISTRATOR', 'ROLE_GROUP_ADMIN'])

function rolesIn(value: string): string[] {
  return [...new Set(value.split(',').map((role) => role.trim()))].filter((role) => role !== '')
}

function subjectOf(role: string): RuleSubject {
  if (role === '*' || role === 'ROLE_ANONYMOUS') return { everyone: true }
  return role === 'ROLE_AUTHENTICATED' ? { authenticated: true } : { group: role }
}

/**
 * Reads `layers.properties`. In GeoServer only the most specific rule applies; in Terrane permissions add up.
 * If a more specific rule narrows a general one, the general rule becomes permissions for the existing
 * workspaces and layers that the specific rule does not cover.
 */
export function readLayerRules(text: string, known: KnownObjects): ReadRules {
  const read: ReadRules = { taken: [], notTaken: [], bad: [] }
  const rules = takeRules(readProperties(text), known, read)
  for (const access of ['r', 'w'] as const) noteDefault(access, rules, read)
  return read
}

/** Reads rules as `readLayerRules` does, without what GeoServer does where a file has no rule. */
export function readLayerRuleList(rules: readonly Property[], known: KnownObjects): ReadRules {
  const read: ReadRules = { taken: [], notTaken: [], bad: [] }
  takeRules(rules, known, read)
  return read
}

function takeRules(properties: readonly Property[], known: KnownObjects, read: ReadRules): LayerRule[] {
  const rules: LayerRule[] = []
  for (const property of properties) {
    const rule = readLine(property, read)
    if (rule !== undefined && isKnown(rule, known, read)) rules.push(rule)
  }
  for (const rule of rules) takeRule(rule, rules, known, read)
  return rules
}

function readLine({ line, key, value }: Property, read: ReadRules): LayerRule | undefined {
  const rule = `${key}=${value}`
  if (key === 'mode') {
    if (value.toUpperCase() !== 'HIDE')
      read.notTaken.push({ line, rule, reason: 'what a caller may not read is always hidden' })
    return undefined
  }
  const parts = key.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'))
  const access = parts.at(-1)
  const roles = rolesIn(value)
  const fault = ruleProblem(parts, roles)
  if (fault !== undefined) {
    read.bad.push({ line, rule, reason: fault })
    return undefined
  }
  const [workspace = '', layer = ''] = parts
  if (parts.length === 2) {
    read.notTaken.push({
      line,
      rule,
      reason: `"${workspace}" is a layer group: permissions are for layers and workspaces`,
    })
    return undefined
  }
  return { line, rule, workspace, layer, access: access as Access, roles }
}

/** Returns why a key and its roles do not form a rule; undefined if they do. */
function ruleProblem(parts: readonly string[], roles: readonly string[]): string | undefined {
  const access = parts.at(-1) ?? ''
  if (!['r', 'w', 'a'].includes(access))
    return `the rule ends in ".${access}", which is none of .r, .w and .a`
  if (roles.length === 0) return 'the rule names no role'
  if (parts.length < 2 || parts.length > 3 || parts.some((part) => part.trim() === ''))
    return 'a rule is WORKSPACE.LAYER.ACCESS=ROLES; dots in names are written "\\\\."'
  return undefined
}

function isKnown(rule: LayerRule, known: KnownObjects, { notTaken }: ReadRules): boolean {
  const reason = whyUnknown(rule, known)
  if (reason !== undefined) notTaken.push({ line: rule.line, rule: rule.rule, reason })
  return reason === undefined
}

function whyUnknown({ workspace, layer }: LayerRule, known: KnownObjects): string | undefined {
  if (workspace === '*') return layer === '*' ? undefined : 'a rule for a layer needs its workspace'
  if (!known.workspaces.includes(workspace)) return `workspace "${workspace}" does not exist here`
  const name = `${workspace}:${layer}`
  return layer === '*' || known.layers.includes(name) ? undefined : `layer "${name}" does not exist here`
}

function takeRule(rule: LayerRule, rules: readonly LayerRule[], known: KnownObjects, read: ReadRules): void {
  const { line, access } = rule
  for (const role of rule.roles) {
    const reason = whyNot(role, access, rule)
    if (reason !== undefined) {
      read.notTaken.push({ line, rule: rule.rule, reason: `role ${role}: ${reason}` })
      continue
    }
    if (adminRoles.has(role)) continue
    const resources = resourcesOf(rule, role, rules, known)
    const whole = wholeOf(rule)
    if (!(resources.length === 1 && resources[0] === whole) && rule.layer === '*')
      read.notTaken.push({
        line,
        rule: rule.rule,
        reason: `role ${role}: more specific rules narrow it, so it was taken for the ${resources.length} workspaces and layers that exist now and that they leave; later ones need permissions of their own`,
      })
    for (const resource of resources)
      read.taken.push({
        line,
        rule: rule.rule,
        subject: subjectOf(role),
        resource,
        actions: actionsOf[access],
      })
  }
}

function whyNot(role: string, access: Access, { layer, workspace }: LayerRule): string | undefined {
  const isEveryone = 'everyone' in subjectOf(role)
  if (access === 'a' && layer !== '*') return 'only workspaces have administrators'
  if (access === 'a' && isEveryone) return 'everyone cannot administer'
  if (access === 'w' && isEveryone) {
    const resource = workspace === '*' ? "'*'" : layer === '*' ? workspace : `${workspace}:${layer}`
    return anonymousEdits.replace('RESOURCE', resource)
  }
  return undefined
}

function wholeOf({ workspace, layer }: LayerRule): string {
  if (workspace === '*') return '*'
  return layer === '*' ? workspace : `${workspace}:${layer}`
}

/** True if a more specific rule denies a role access to its resource. */
function deniesRole({ roles }: LayerRule, role: string): boolean {
  return !roles.includes(role) && !roles.includes('*')
}

/**
 * Returns the resources to which a rule gives the role access: those without a more specific rule, and those
 * whose more specific rule permits the role too.
 */
function resourcesOf(
  rule: LayerRule,
  role: string,
  rules: readonly LayerRule[],
  known: KnownObjects,
): string[] {
  const whole = wholeOf(rule)
  const inner = rules.filter((one) => one !== rule && one.access === rule.access && wholeOf(one) !== whole)
  const narrowing = inner.filter((one) => deniesRole(one, role))
  if (rule.layer !== '*') return [whole]
  const ofWorkspace = (workspace: string): string[] => {
    const own = inner.filter((one) => one.workspace === workspace && one.layer !== '*')
    if (!own.some((one) => deniesRole(one, role))) return [workspace]
    const named = new Set(own.map(wholeOf))
    return layersIn(known, workspace).filter((layer) => !named.has(layer))
  }
  if (rule.workspace !== '*') return ofWorkspace(rule.workspace)
  if (narrowing.length === 0) return ['*']
  const decided = new Set(inner.filter(({ layer }) => layer === '*').map(({ workspace }) => workspace))
  return known.workspaces.filter((workspace) => !decided.has(workspace)).flatMap(ofWorkspace)
}

/**
 * Adds a note if there is no rule for all layers: GeoServer then permits everyone to use the layers that no
 * rule names.
 */
function noteDefault(access: 'r' | 'w', rules: readonly LayerRule[], { notTaken }: ReadRules): void {
  if (rules.some((rule) => rule.access === access && rule.workspace === '*')) return
  const what = access === 'r' ? 'read' : 'write'
  const remedy =
    access === 'r' ? 'terrane workspaces change WORKSPACE --public' : 'terrane permissions create'
  notTaken.push({
    line: 0,
    rule: `*.*.${access}`,
    reason: `the file has no such rule: GeoServer then lets everyone ${what} what no rule names. If that is meant: ${remedy}`,
  })
}

const methodNames = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])

/** Reads `rest.properties`: paths of the REST API with methods and roles. */
export function readRestRules(text: string, known: KnownObjects): ReadRules {
  const read: ReadRules = { taken: [], notTaken: [], bad: [] }
  for (const { line, key, value } of readProperties(text)) {
    const rule = `${key}=${value}`
    const [path = '', methods = '', ...more] = key.split(';')
    const names = methods.split(',').map((one) => one.trim().toUpperCase())
    const roles = rolesIn(value)
    const isBad = more.length > 0 || !path.startsWith('/') || names.some((name) => !methodNames.has(name))
    if (isBad || roles.length === 0)
      read.bad.push({
        line,
        rule,
        reason: 'a rule is /PATH;METHODS=ROLES, such as /rest/workspaces/town/**;GET,PUT=EDITORS',
      })
    else
      takeRestRule(
        { line, rule, path, isReading: names.every((name) => /^(GET|HEAD|OPTIONS)$/.test(name)), roles },
        known,
        read,
      )
  }
  return read
}

interface RestRule {
  line: number
  rule: string
  path: string
  isReading: boolean
  roles: string[]
}

function takeRestRule(
  { line, rule, path, isReading, roles }: RestRule,
  known: KnownObjects,
  read: ReadRules,
): void {
  const target = restTarget(path, isReading, known)
  const refuse = (reason: string): void => void read.notTaken.push({ line, rule, reason } satisfies NotTaken)
  if (roles.every((role) => adminRoles.has(role))) return
  if (typeof target === 'string') {
    refuse(target)
    return
  }
  for (const role of roles) {
    if (adminRoles.has(role)) continue
    if (!isReading && 'everyone' in subjectOf(role)) refuse(`role ${role}: everyone cannot change anything`)
    else read.taken.push({ line, rule, subject: subjectOf(role), ...target } satisfies RulePermission)
  }
}

/** Returns resource and actions of a path of the REST API, or the reason why the path has no counterpart. */
function restTarget(
  path: string,
  isReading: boolean,
  known: KnownObjects,
): { resource: string; actions: readonly string[] } | string {
  const actions = [isReading ? 'read' : 'manage']
  const steps = path
    .replace(/^\/rest(?=\/|$)/, '')
    .replace(/\/(?:\*\*?|\.\*)$/, '')
    .split('/')
    .slice(1)
  if (steps.length === 0) return { resource: '*', actions }
  const [first, workspace = '', ...deeper] = steps
  if (first === 'imports' && steps.length === 1 && !isReading) return { resource: '*', actions: ['import'] }
  if (first !== 'workspaces' || workspace === '' || deeper.length > 0 || workspace.includes('*'))
    return 'permissions are for everything, workspaces and layers, not for paths of the REST API'
  if (!known.workspaces.includes(workspace)) return `workspace "${workspace}" does not exist here`
  return { resource: workspace, actions }
}
