/** Above the id of every service. */
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
