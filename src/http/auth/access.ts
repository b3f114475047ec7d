import { roles } from '../../accounts/caller.ts'

/**
 * Who may call a route. `public`: everyone. `workspace`, `layer`, `style`: everyone where that of the path is public,
 * otherwise `user`. The others: that role and those above.
 */
export const accesses = ['public', 'workspace', 'layer', 'style', ...roles] as const
export type Access = (typeof accesses)[number]
