/** Types of monitored services, in the order of their ids. */
export const serviceTypes = ['app', 'mapserver', 'hostapp', 'hostmapserver'] as const
export type ServiceType = (typeof serviceTypes)[number]

/** True if a service of this type is the machine on which an application or map server runs. */
export function isHostType(type: ServiceType): boolean {
  return type === 'hostapp' || type === 'hostmapserver'
}

/** True if requests of such a service may come from an access log. */
export function mayHaveLog(type: ServiceType): boolean {
  return type === 'mapserver'
}
