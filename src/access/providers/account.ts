import type { LinkMode, RoleGroups } from '../../core/config/access-settings.ts'
import type { GroupSource, Role } from '../records.ts'

/** An account of a sign-in provider, as the provider describes it. */
export interface ProviderAccount {
  source: Exclude<GroupSource, 'local'>
  /** `oidc <issuer>`, `ldap` or `header`. */
  provider: string
  /** Identifies the account at the provider for ever. */
  subject: string
  name: string
  email: string | undefined
  /** True if the provider has verified the address. */
  isEmailVerified: boolean
  /** Undefined: the provider does not tell groups, and memberships stay. */
  groups: readonly string[] | undefined
}

/** Rules for the users of a provider's accounts. */
export interface AccountRules extends RoleGroups {
  link: LinkMode
}

/** Returns the role that the groups give; undefined if no group decides about roles. */
export function roleOf(
  groups: readonly string[] | undefined,
  { adminGroup, staffGroup }: RoleGroups,
): Role | undefined {
  if (groups === undefined || (adminGroup === undefined && staffGroup === undefined)) return undefined
  if (adminGroup !== undefined && groups.includes(adminGroup)) return 'admin'
  return staffGroup !== undefined && groups.includes(staffGroup) ? 'staff' : 'user'
}

/** Returns a valid user name: other characters become `_`. */
export function toUserName(name: string): string {
  const plain = name.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_.@+-]/gu, '_')
  return [...plain.replace(/^[^\p{L}\p{N}_]+/u, '')].slice(0, 100).join('') || '_'
}
