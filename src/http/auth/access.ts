/** Roles, each with the rights of those before it. */
export const roles = ['user', 'staff', 'admin'] as const
export type Role = (typeof roles)[number]

/**
 * Who may call a route. `public`: everyone. `workspace`, `layer`, `style`: everyone where that of the path is public,
 * otherwise `user`. The others: that role and those above.
 */
export const accesses = ['public', 'workspace', 'layer', 'style', ...roles] as const
export type Access = (typeof accesses)[number]

export interface Caller {
  /** Absent for someone who gave no credentials. */
  name?: string
  role: Role | 'anonymous'
  /** How the caller proved who they are. */
  by: 'nothing' | 'password' | 'token' | 'session'
}

export const anonymous: Caller = { role: 'anonymous', by: 'nothing' }

/** Whether the caller's role reaches `role`. */
export function hasRole(caller: Caller, role: Role): boolean {
  return caller.role !== 'anonymous' && roles.indexOf(caller.role) >= roles.indexOf(role)
}
