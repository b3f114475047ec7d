import { Type } from 'typebox'

/** How long who has read something public may keep it without asking. */
export const ownMaxAgeSeconds = 300

/** Told of what is public no more: for how long copies in browsers and proxies may live. */
export function copiesLeft(
  wasPublic: boolean,
  isPublic: boolean,
  { sharedMaxAgeSeconds }: { sharedMaxAgeSeconds: number },
): { copiesLiveSeconds?: number } {
  return wasPublic && !isPublic ? { copiesLiveSeconds: Math.max(ownMaxAgeSeconds, sharedMaxAgeSeconds) } : {}
}

/** As answers to a change describe it. */
export const CopiesLiveSeconds = Type.Optional(
  Type.Integer({
    description:
      'Told once, when it is public no more: for how long copies in browsers and proxies may live on',
  }),
)
