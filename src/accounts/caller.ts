/** Roles, each with the rights of those before it. */
export const roles = ['user', 'staff', 'admin'] as const
/** What somebody may do. */
export type Role = (typeof roles)[number]

/** Who makes a request. */
export interface Caller {
  /** Absent for someone who gave no credentials. */
  name?: string
  role: Role | 'anonymous'
  /** The means of authentication. `local` is a command that runs the server in its own process. */
  by: 'nothing' | 'password' | 'token' | 'session' | 'local'
}

/** Who gave no credentials, or those of a session that has ended. */
export const anonymous: Caller = { role: 'anonymous', by: 'nothing' }

/** Whether the caller's role reaches `role`. */
export function hasRole(caller: Caller, role: Role): boolean {
  return caller.role !== 'anonymous' && roles.indexOf(caller.role) >= roles.indexOf(role)
}
