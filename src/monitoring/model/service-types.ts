/** What kinds of service are watched, in the order of their ids. */
export const serviceTypes = ['app', 'mapserver', 'hostapp', 'hostmapserver'] as const
export type ServiceType = (typeof serviceTypes)[number]

/** Whether a service of this type is the machine that an application or map server runs on. */
export function isHostType(type: ServiceType): boolean {
  return type === 'hostapp' || type === 'hostmapserver'
}

/** Whether requests of such a service may come from an access log. */
export function mayHaveLog(type: ServiceType): boolean {
  return type === 'mapserver'
}
