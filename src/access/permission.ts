import type { Action } from './actions.ts'

/** The user or the users that get a permission. `everyone` includes anonymous callers; `authenticated` is every user. */
export type Subject =
  | { kind: 'user'; name: string }
  | { kind: 'group'; name: string }
  | { kind: 'everyone' }
  | { kind: 'authenticated' }

/** Scope of a permission: everywhere, a workspace, or one layer. */
export interface PermissionScope {
  /** Absent: everywhere. */
  workspace?: string | undefined
  /** Absent: all layers of the workspace. */
  layer?: string | undefined
}

/** Actions that a subject may perform on a resource. Permissions only add rights. */
export interface Permission extends PermissionScope {
  id: number
  subject: Subject
  actions: Action[]
  createdAt: string
  updatedAt: string
}

/** Returns `*`, `<workspace>` or `<workspace>:<layer>`. */
export function resourceText({ workspace, layer }: PermissionScope): string {
  if (workspace === undefined) return '*'
  return layer === undefined ? workspace : `${workspace}:${layer}`
}

/** Parses `*`, `<workspace>` or `<workspace>:<layer>`. */
export function parseResource(text: string): PermissionScope {
  if (text === '*') return {}
  const colon = text.indexOf(':')
  return colon < 0 ? { workspace: text } : { workspace: text.slice(0, colon), layer: text.slice(colon + 1) }
}

/** Returns a subject as text: `user anna`, `group gis`, `everyone`, `authenticated`. */
export function subjectText(subject: Subject): string {
  return 'name' in subject ? `${subject.kind} ${subject.name}` : subject.kind
}
