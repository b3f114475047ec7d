import type { App } from '../app-types.ts'
import { ownMaxAgeSeconds } from '../caching.ts'
import { isSafe } from './browser-safety.ts'

/**
 * Prevents shared caching of responses whose links contain the request's host: a forged `Host` header would
 * reach all clients of the cache.
 */
export function keepAddressesPrivate(app: App): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.namesClientHost === true && isSafe(request.method)) {
      const present = reply.getHeader('cache-control')
      reply.header('cache-control', withoutSharedCaches(present === undefined ? undefined : String(present)))
    }
    done()
  })
}

/** Returns a `Cache-Control` value for the client only; without one the client revalidates each time. */
function withoutSharedCaches(value: string | undefined): string {
  if (value === undefined) return 'private, no-cache'
  if (/\b(?:private|no-store)\b/.test(value)) return value
  const isPublic = /\bpublic\b/.test(value)
  return isPublic ? `private, max-age=${ownMaxAgeSeconds}` : `private, ${value}`
}
