import type { Role } from '../accounts/caller.ts'
import { roles } from '../accounts/caller.ts'
import type { Dialect } from '../config/settings.ts'
import { Failure } from '../lib/errors.ts'

/**
 * Required access of a route. `public`: everyone. `workspace`, `layer`, `style`: everyone if that of the path
 * is public, otherwise `user`. The others: that role and those above.
 */
const accesses = ['public', 'workspace', 'layer', 'style', ...roles] as const
export type Access = (typeof accesses)[number]

/** Role that may read monitoring data, by dialect. */
export const countReaders = { contract: 'user', geoserver: 'admin' } as const satisfies Record<Dialect, Role>

/** The error that anonymous users get for a resource that is not public, whether or not it exists. */
export function loginNeeded(): Failure {
  return new Failure(
    'unauthenticated',
    'login-needed',
    'This needs a login: user name and password, or a token',
  )
}
