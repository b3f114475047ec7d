import { Type } from 'typebox'

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
      'Told once, when it is public no more: for how long copies in browsers and proxies may live on',
  }),
)
