/** Roles, each with the rights of those before it. */
export const roles = ['user', 'staff', 'admin'] as const
export type Role = (typeof roles)[number]

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
