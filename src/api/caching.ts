import { Type } from 'typebox'
import type { FastifyReply } from './app-types.ts'

/** Time for which clients may cache public responses without revalidation. */
export const ownMaxAgeSeconds = 300

/** Returns, for a resource that is no longer public, how long copies in browsers and proxies may remain. */
export function copiesLeft(
  wasPublic: boolean,
  isPublic: boolean,
  { sharedMaxAgeSeconds }: { sharedMaxAgeSeconds: number },
): { copiesLiveSeconds?: number } {
  return wasPublic && !isPublic ? { copiesLiveSeconds: Math.max(ownMaxAgeSeconds, sharedMaxAgeSeconds) } : {}
}

/** Field in responses to a change. */
export const CopiesLiveSeconds = Type.Optional(
  Type.Integer({
    description:
      'Seconds for which browsers and proxies may still serve cached copies. Only in the response that makes the resource private',
  }),
)

/** For responses that depend on the caller: clients may store them but must revalidate at each use. */
export function keepPrivately(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache')
  addVary(reply, 'Authorization', 'Cookie')
}

/** Adds names to `Vary` that are not there yet. */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const present = reply.getHeader('vary')
  if (present === undefined) {
    reply.header('vary', names.join(', '))
    return
  }
  const known = String(present)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const added = names.filter((name) => !known.some((one) => one.toLowerCase() === name.toLowerCase()))
  reply.header('vary', [...known, ...added].join(', '))
}
