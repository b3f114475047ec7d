/** Above the id of every service. */
export const pagesOffset = 2 ** 40

/**
 * Returns the id in the series under which requests of this server's own pages are counted once more, beside the service that they
 * count for: what others asked for is the difference. No service has such an id, and no query reads it unless it asks for it.
 */
export function pagesServiceId(serviceId: number): number {
  return serviceId + pagesOffset
}

/** Whether the id is one of `pagesServiceId`. */
export function isPagesService(serviceId: number): boolean {
  return serviceId >= pagesOffset
}
