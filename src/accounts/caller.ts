/** Roles, each including the rights of the previous ones. */
export const roles = ['user', 'staff', 'admin'] as const
/** Role of a user. */
export type Role = (typeof roles)[number]

/** The user of a request. */
export interface Caller {
  /** Absent for a caller without credentials. */
  name?: string
  role: Role | 'anonymous'
  /** The means of authentication. `local` is a command that runs the server in its own process. */
  by: 'nothing' | 'password' | 'token' | 'session' | 'local'
}

/** Caller without credentials, or with an expired session. */
export const anonymous: Caller = { role: 'anonymous', by: 'nothing' }

/** True if the caller has at least `role`. */
export function hasRole(caller: Caller, role: Role): boolean {
  return caller.role !== 'anonymous' && roles.indexOf(caller.role) >= roles.indexOf(role)
}
