import { BoundedCache } from '../../core/caches/bounded-cache.ts'
import type { FastifyRequest } from '../app-types.ts'

/** Paths below the base path of the pages for people, and of the scripts that they and their workers run. */
const pagePath = /^(?:app(?:\/.*)?|assets\/[^/]+)?$/
const known = new BoundedCache<string, boolean>(1000)

/**
 * True if a page of this server sent the request, by its `Referer`: pages of the same origin send the whole
 * address.
 */
export function isOfPages(request: FastifyRequest): boolean {
  const { referer } = request.headers
  // A request with a malformed URL has no properties of this server.
  const own = (request as Partial<FastifyRequest>).link?.('/')
  if (own === undefined || referer === undefined || !URL.canParse(referer)) return false
  const { host, pathname } = new URL(own)
  return known.get(`${host} ${pathname} ${referer.split('?', 1)[0]}`, () => isPage(referer, host, pathname))
}

function isPage(referer: string, host: string, basePath: string): boolean {
  const page = new URL(referer)
  return (
    page.host === host &&
    page.pathname.startsWith(basePath) &&
    pagePath.test(page.pathname.slice(basePath.length))
  )
}
