import type { StoredCredentials } from '../../access/index.ts'
import { Failure } from '../../core/errors/errors.ts'

export const sessionCookie = 'terrane_session'
/** Field of a form that brings the session's token. */
export const csrfField = 'csrf_token'

/** Returns the credentials of a request; an invalid header is a `Failure`. */
export function readCredentials(headers: {
  authorization?: string | undefined
  cookie?: string | undefined
}): StoredCredentials | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return parseAuthorization(authorization)
  const id = headers.cookie === undefined ? undefined : readCookie(headers.cookie, sessionCookie)
  return id === undefined ? undefined : { kind: 'session', id }
}

function parseAuthorization(header: string): StoredCredentials {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'bearer') return { kind: 'bearer', token: value }
  const pair = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : ''
  const colon = pair.indexOf(':')
  if (colon < 0)
    throw new Failure(
      'unauthenticated',
      'wrong-credentials',
      'The Authorization header is neither Basic nor Bearer',
    )
  return { kind: 'basic', name: pair.slice(0, colon), password: pair.slice(colon + 1) }
}

/** Returns the value of a cookie. */
export function readCookie(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const [key, value] = part.split('=', 2)
    if (key?.trim() === name && value !== undefined && value.trim() !== '') return value.trim()
  }
  return undefined
}
