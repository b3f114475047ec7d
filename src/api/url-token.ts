import { Type } from 'typebox'
import type { FastifyRequest } from './app-types.ts'

/** Name of the query parameter that may bring a token (RFC 6750, section 2.3). */
const urlTokenName = 'access_token'

/** The parameter as operations describe it. */
export const urlToken = {
  [urlTokenName]: Type.Optional(
    Type.String({
      description:
        'An API token, for clients that cannot send headers; good for reading below `/tiles` alone',
    }),
  ),
}

/** Returns the token in the address of a request, if its endpoint accepts one; undefined if there is none. */
export function tokenOfUrl({ routeOptions, query }: FastifyRequest): string | undefined {
  if (routeOptions.config?.takesTokenInUrl !== true) return undefined
  const given = (query as Record<string, unknown>)[urlTokenName]
  // Given several times it is a list, which is not a token.
  return given === undefined || given === '' ? undefined : String(given)
}

/** An address without that parameter, however its name is escaped. */
export function withoutUrlToken(url: string): string {
  const at = url.indexOf('?')
  if (at < 0) return url
  const isToken = (part: string): boolean => new URLSearchParams(part).has(urlTokenName)
  const parts = url.slice(at + 1).split('&')
  return parts.some(isToken) ? `${url.slice(0, at)}?${parts.filter((part) => !isToken(part)).join('&')}` : url
}

/** The parameter again, for links whose reader has nothing else to sign in with; empty where the request had none. */
export function tokenForLinks(request: FastifyRequest): string {
  const token = request.headers.authorization === undefined ? tokenOfUrl(request) : undefined
  return token === undefined ? '' : `${urlTokenName}=${encodeURIComponent(token)}`
}
