/** Roles, each including the rights of the previous ones. */
export const roles = ['user', 'staff', 'admin'] as const
/** Role of a user. */
export type Role = (typeof roles)[number]

/** What an API token may be used for; each scope includes the previous ones. */
export const tokenScopes = ['read', 'import', 'manage'] as const
/** Scope of an API token. */
export type TokenScope = (typeof tokenScopes)[number]

/** The user of a request. The groups of the user are looked up by name in the access rules. */
export interface Caller {
  /** Absent for a caller without credentials. */
  name?: string
  role: Role | 'anonymous'
  /** The means of authentication. `local` is a command that runs the server in its own process. */
  by: 'nothing' | 'password' | 'token' | 'session' | 'local'
  /** Scopes of the API token; absent: all rights of the user. */
  scopes?: readonly TokenScope[]
  /** The only workspace for which the API token is good. */
  tokenWorkspace?: string
  /** The only layers for which the API token is good, as `<workspace>:<layer>`. */
  tokenLayers?: ReadonlySet<string>
}

/** Where a group or a membership comes from. */
export const groupSources = ['local', 'oidc', 'ldap', 'header'] as const
/** Source of a group or of a membership. */
export type GroupSource = (typeof groupSources)[number]

/** A group of users. Groups do not contain groups. */
export interface Group {
  name: string
  title: string | undefined
  source: GroupSource
  members: GroupMember[]
  createdAt: string
  updatedAt: string
}

/** A user of a group, once for each source that says so. */
export interface GroupMember {
  user: string
  source: GroupSource
}

/** Caller without credentials, or with an expired session. */
export const anonymous: Caller = { role: 'anonymous', by: 'nothing' }

/**
 * True if the caller has at least `role`, for what is not about a layer or a workspace. A token of limited
 * rights counts as `user`.
 */
export function hasRole(caller: Caller, role: Role): boolean {
  if (caller.role === 'anonymous') return false
  return role === 'user' || (!isLimited(caller) && roles.indexOf(caller.role) >= roles.indexOf(role))
}

/** True if the caller has an API token that is not good for all rights of the user. */
export function isLimited({ scopes, tokenWorkspace, tokenLayers }: Caller): boolean {
  if (tokenWorkspace !== undefined || tokenLayers !== undefined) return true
  return scopes !== undefined && !scopes.includes('manage')
}

/** A user who may log in. */
export interface User {
  name: string
  email: string | undefined
  role: Role
  /** False: password and tokens are rejected, and no session continues. */
  isEnabled: boolean
  passwordHash: string
  createdAt: string
  updatedAt: string
}

/** An API token, by which a program authenticates. */
export interface Token {
  id: number
  caption: string
  createdAt: string
  expiresAt: string | undefined
  lastUsedAt: string | undefined
}

/** A login of the web pages. */
export interface Session {
  user: User
  csrfToken: string
  expiresAt: string
}

/** Duration of a session from its start. */
export const sessionSeconds = 12 * 3600

/** Credentials of a request. */
export type StoredCredentials =
  | { kind: 'basic'; name: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'session'; id: string }

/** The caller, with the CSRF token of the session if authenticated by one. */
export interface Authenticated {
  caller: Caller
  csrfToken?: string
}

/** Cost of one hash: 128 * r * 2^logN bytes, p times. */
export interface PasswordCost {
  logN: number
  r: number
  p: number
}
