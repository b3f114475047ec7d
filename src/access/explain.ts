import type { Action } from './actions.ts'
import { actions, bits, maskOf, readingActions } from './actions.ts'
import type { Permission } from './permission.ts'
import { resourceText } from './permission.ts'
import type { Caller } from './records.ts'
import type { Resource } from './rights.ts'
import type { Rules } from './rules.ts'

/** The rule that decided. */
type DecidingRule =
  | { kind: 'role'; role: Caller['role'] }
  /** `TERRANE_DEFAULT_READ=open`. */
  | { kind: 'default-read' }
  /** The setting `public` of the layer or of its workspace. */
  | { kind: 'public' }
  | { kind: 'permission'; permission: Permission }
  /** The token of the caller is not good for this. */
  | { kind: 'token' }
  /** No rule permits it. */
  | { kind: 'none' }

/** A decision with its reason. */
export interface Decision {
  action: Action
  isAllowed: boolean
  rule: DecidingRule
}

/** Explains each decision about a resource, by the rule that permits the action first. */
export function explain(rules: Rules, caller: Caller, resource: Resource): Decision[] {
  return actions.map((action) => {
    const isAllowed = rules.can(caller, action, resource)
    const rule = permittingRule(rules, caller, action, resource)
    if (!isAllowed && rule.kind !== 'none') return { action, isAllowed, rule: { kind: 'token' } }
    return { action, isAllowed, rule }
  })
}

function permittingRule(rules: Rules, caller: Caller, action: Action, resource: Resource): DecidingRule {
  const bit = bits[action]
  if ((rules.maskOfRole(caller) & bit) !== 0)
    return caller.role === 'admin' || rules.maskOfRole(caller) !== readingActions
      ? { kind: 'role', role: caller.role }
      : { kind: 'default-read' }
  if (resource !== '*' && rules.isPublic(resource) && (readingActions & bit) !== 0) return { kind: 'public' }
  const permission = rules
    .permissionsOf(caller)
    .find((one) => applies(one, resource) && (maskOf(one.actions) & bit) !== 0)
  return permission === undefined ? { kind: 'none' } : { kind: 'permission', permission }
}

/** True if a permission covers a resource. */
function applies({ workspace, layer }: Permission, resource: Resource): boolean {
  if (workspace === undefined) return true
  if (resource === '*' || workspace !== resource.workspace) return false
  return layer === undefined || layer === resource.name
}

/** Returns the reason of a decision as an English sentence. */
export function decisionText({ rule }: Decision): string {
  switch (rule.kind) {
    case 'role':
      return `has the role ${rule.role}`
    case 'default-read':
      return 'every user may read all layers (TERRANE_DEFAULT_READ=open)'
    case 'public':
      return 'the layer or its workspace is public'
    case 'token':
      return 'the API token is not good for this'
    case 'permission':
      return permissionText(rule.permission)
    case 'none':
      return 'no rule permits it'
  }
}

function permissionText(permission: Permission): string {
  const { id, subject, actions: given } = permission
  const who =
    subject.kind === 'group'
      ? `of group ${subject.name} `
      : subject.kind === 'user'
        ? ''
        : `of ${subject.kind === 'everyone' ? 'everyone' : 'all users'} `
  return `permission ${id} ${who}for ${resourceText(permission)}: ${given.join(', ')}`
}
