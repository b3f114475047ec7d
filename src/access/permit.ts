import type { AccessRules } from './access-rules.ts'
import type { Action } from './actions.ts'
import type { Caller } from './records.ts'
import { anonymous } from './records.ts'
import type { Resource } from './rights.ts'
import type { Users } from './users.ts'

/**
 * Decides about work that starts later than the request for it, by the rights that the user has then. An empty
 * name is an anonymous caller. False for a user who was deleted or disabled meanwhile.
 */
export type Permit = (user: string, action: Action, resource: Resource) => Promise<boolean>

/** Returns the caller that a user is with all rights of the user; undefined if deleted or disabled. */
export async function callerNamed(users: Pick<Users, 'find'>, name: string): Promise<Caller | undefined> {
  const user = await users.find(name)
  return user?.isEnabled === true ? { name, role: user.role, by: 'local' } : undefined
}

export function createPermit(rules: Pick<AccessRules, 'now'>, users: Pick<Users, 'find'>): Permit {
  return async (user, action, resource) => {
    const caller = user === '' ? anonymous : await callerNamed(users, user)
    return caller !== undefined && (await rules.now()).can(caller, action, resource)
  }
}
