import type { Role } from '../accounts/caller.ts'
import { roles } from '../accounts/caller.ts'
import type { Dialect } from '../config/settings.ts'
import { Failure } from '../lib/errors.ts'

/**
 * Who may call a route. `public`: everyone. `workspace`, `layer`, `style`: everyone where that of the path is public,
 * otherwise `user`. The others: that role and those above.
 */
const accesses = ['public', 'workspace', 'layer', 'style', ...roles] as const
export type Access = (typeof accesses)[number]

/** Who may read what monitoring has counted. */
export const countReaders = { contract: 'user', geoserver: 'admin' } as const satisfies Record<Dialect, Role>

/** What the anonymous get instead of what is not public, whether it exists or not. */
export function loginNeeded(): Failure {
  return new Failure(
    'unauthenticated',
    'login-needed',
    'This needs a login: user name and password, or a token',
  )
}
