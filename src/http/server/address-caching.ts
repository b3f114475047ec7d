import type { App } from '../app-types.ts'
import { ownMaxAgeSeconds } from '../public-copies.ts'
import { isSafe } from './browser-safety.ts'

/**
 * Keeps answers out of shared caches whose links name the host of the request: a forged `Host` header would reach everyone
 * whom the cache answers.
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

/** The value of `Cache-Control` for the client alone; without one the client asks again each time. */
function withoutSharedCaches(value: string | undefined): string {
  if (value === undefined) return 'private, no-cache'
  if (/\b(?:private|no-store)\b/.test(value)) return value
  const isPublic = /\bpublic\b/.test(value)
  return isPublic ? `private, max-age=${ownMaxAgeSeconds}` : `private, ${value}`
}
