import { roles } from '../accounts/caller.ts'
import { Failure } from '../lib/errors.ts'

/**
 * Required access of a route. `public`: everyone. `workspace`, `layer`, `style`: everyone if that of the path
 * is public, otherwise `user`. The others: that role and those above.
 */
const accesses = ['public', 'workspace', 'layer', 'style', ...roles] as const
export type Access = (typeof accesses)[number]

/** The error that anonymous users get for a resource that is not public, whether or not it exists. */
export function loginNeeded(): Failure {
  return new Failure(
    'unauthenticated',
    'login-needed',
    'This needs a login: user name and password, or a token',
  )
}
