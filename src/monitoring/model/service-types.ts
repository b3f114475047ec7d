/** Greater than the id of any service. */
export const pagesOffset = 2 ** 40

/**
 * Returns the series id under which requests of this server's own pages are counted a second time, in
 * addition to their service: the difference is the requests of others. No service has such an id, and queries
 * read it only on request.
 */
export function pagesServiceId(serviceId: number): number {
  return serviceId + pagesOffset
}

/** True if the id is one of `pagesServiceId`. */
export function isPagesService(serviceId: number): boolean {
  return serviceId >= pagesOffset
}

/** Types of monitored services, in the order of their ids. */
export const serviceTypes = ['app', 'mapserver', 'hostapp', 'hostmapserver'] as const
export type ServiceType = (typeof serviceTypes)[number]

/** True if a service of this type is the machine on which an application or map server runs. */
export function isHostType(type: ServiceType): boolean {
  return type === 'hostapp' || type === 'hostmapserver'
}

/** True if services of this type may have an access log as source. */
export function mayHaveLog(type: ServiceType): boolean {
  return type === 'mapserver'
}
