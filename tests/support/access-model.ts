// The rules of docs/permissions.md as a direct reading of the text, without any code of the server: it decides what tests
// expect. Slow and simple on purpose.

export const modelActions = ['read', 'download', 'edit', 'import', 'manage'] as const
export type ModelAction = (typeof modelActions)[number]

/** A permission as the API takes it. */
export interface ModelPermission {
  subject: { user: string } | { group: string } | { everyone: true } | { authenticated: true }
  resource: string
  actions: readonly ModelAction[]
}

export interface ModelCaller {
  /** Absent: anonymous. */
  user?: string
  role: 'anonymous' | 'user' | 'staff' | 'admin'
  groups: readonly string[]
  token?: { scope?: 'read' | 'import' | 'manage'; workspace?: string }
}

export interface ModelLayer {
  workspace: string
  /** Absent: the workspace itself. */
  layer?: string
  isPublic: boolean
}

export interface ModelWorld {
  permissions: readonly ModelPermission[]
  defaultRead: 'open' | 'granted'
  staffScope: 'open' | 'granted'
}

/** `manage` includes everything; every other action includes `read`. */
function includes(given: ModelAction, action: ModelAction): boolean {
  return given === action || given === 'manage' || action === 'read'
}

function isSubject(caller: ModelCaller, subject: ModelPermission['subject']): boolean {
  if ('everyone' in subject) return true
  if ('authenticated' in subject) return caller.role !== 'anonymous'
  if ('user' in subject) return caller.user === subject.user
  return caller.groups.includes(subject.group)
}

function covers(resource: string, { workspace, layer }: ModelLayer): boolean {
  if (resource === '*' || resource === workspace) return true
  return layer !== undefined && resource === `${workspace}:${layer}`
}

function tokenPermits({ token }: ModelCaller, action: ModelAction, { workspace }: ModelLayer): boolean {
  if (token?.workspace !== undefined && token.workspace !== workspace) return false
  if (token?.scope === 'read') return action === 'read' || action === 'download'
  if (token?.scope === 'import') return action !== 'manage'
  return true
}

/** The decision of the model. */
export function modelCan(
  { permissions, defaultRead, staffScope }: ModelWorld,
  caller: ModelCaller,
  action: ModelAction,
  resource: ModelLayer,
): boolean {
  if (!tokenPermits(caller, action, resource)) return false
  if (caller.role === 'admin') return true
  if (caller.role === 'staff' && staffScope === 'open') return true
  const isReading = action === 'read' || action === 'download'
  if (isReading && resource.isPublic) return true
  if (isReading && caller.role !== 'anonymous' && defaultRead === 'open') return true
  return permissions.some(
    (one) =>
      isSubject(caller, one.subject) &&
      covers(one.resource, resource) &&
      one.actions.some((given) => includes(given, action)),
  )
}
