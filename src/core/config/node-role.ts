/** Roles of a server: `serve` answers requests, `work` runs jobs. */
export const nodeRoles = ['serve', 'work'] as const
export type NodeRole = (typeof nodeRoles)[number]
