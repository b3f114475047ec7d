/** Roles, each including the rights of the previous ones. */
export const roles = ['user', 'staff', 'admin'] as const
/** Role of a user. */
export type Role = (typeof roles)[number]

/** Scopes of API tokens; each scope includes the previous ones. */
export const tokenScopes = ['read', 'import', 'manage'] as const
/** Scope of an API token. */
export type TokenScope = (typeof tokenScopes)[number]

/** Ways to identify a user; `system` is a command of the server itself. */
export const signInMethods = ['password', 'token', 'oidc', 'ldap', 'header', 'system'] as const
/** Way in which a user was identified. */
export type SignInMethod = (typeof signInMethods)[number]

/** The user of a request. */
export interface Caller {
  /** Absent for a caller without credentials. */
  name?: string
  role: Role | 'anonymous'
  /** The means of authentication. `local` is a command that runs the server in its own process. */
  by: 'nothing' | 'password' | 'token' | 'session' | 'header' | 'local'
  /** Way in which the user was identified. */
  via?: SignInMethod
  /** Groups of a caller who is no user; absent: the access rules look up those of the user. */
  groups?: readonly string[] | undefined
  /** Scopes of the API token; absent: all rights of the user. */
  scopes?: readonly TokenScope[]
  /** The only workspace for which the API token is good. */
  tokenWorkspace?: string
  /** The only layers for which the API token is good, as `<workspace>:<layer>`. */
  tokenLayers?: ReadonlySet<string>
}

/** Sources of groups and memberships. */
export const groupSources = ['local', 'oidc', 'ldap', 'header'] as const
/** Source of a group or of a membership. */
export type GroupSource = (typeof groupSources)[number]

/** A group of users. Groups cannot be nested. */
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
 * rights counts as `user`; one for some layers has no role.
 */
export function hasRole(caller: Caller, role: Role): boolean {
  if (caller.role === 'anonymous' || caller.tokenLayers !== undefined) return false
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
  limits: TokenLimits
}

/** Limits of an API token; an empty object: all rights of the user. */
export interface TokenLimits {
  scopes?: readonly TokenScope[] | undefined
  workspace?: string | undefined
  /** The only layers, as `<workspace>:<layer>`; such a token only reads, and is accepted in addresses. */
  layers?: readonly string[] | undefined
}

/** A login of the web pages. */
export interface Session {
  user: User
  csrfToken: string
  expiresAt: string
  via: SignInMethod
}

/** Duration of a session from its start. */
export const sessionSeconds = 12 * 3600

/** Credentials of a request. */
export type StoredCredentials =
  | { kind: 'basic'; name: string; password: string }
  | { kind: 'bearer'; token: string; isInAddress?: boolean }
  | { kind: 'header'; account: HeaderAccount }
  | { kind: 'session'; id: string }

/** An account that a trusted proxy names. */
export interface HeaderAccount {
  name: string
  /** Undefined: the proxy does not tell groups. */
  groups: readonly string[] | undefined
  email: string | undefined
}

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
