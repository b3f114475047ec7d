import type { RemoteLocation } from './location.ts'
import { decodePart, malformed, pathOf, withoutUser } from './location.ts'
import type { RemoteCredentials } from './protocol.ts'
import { findProtocol, remoteSchemes } from './registry.ts'

const maxLength = 8000
const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/

/** True if a text refers to files of this host: a path, or a `file:` URL. */
export function isLocalLocation(text: string): boolean {
  return /^file:/i.test(text) || !/^[a-z][a-z0-9+.-]*:/i.test(text)
}

function parseUrl(text: string): { url: URL; scheme: string } {
  if (text.length > maxLength) malformed(text, `it has more than ${maxLength} characters`)
  if (/\p{Cc}/u.test(text)) malformed(text, 'it contains a control character')
  const scheme = remoteSchemes.find((one) => text.toLowerCase().startsWith(`${one}:`))
  if (scheme === undefined) malformed(text, `it must begin with one of ${remoteSchemes.join(', ')} or file`)
  const isWhole = new RegExp(`^${scheme}://[^/]`, 'i').test(text) && URL.canParse(text)
  if (!isWhole) malformed(text, `it must be like ${scheme}://host/path`)
  return { url: new URL(text), scheme }
}

function locationOf(url: URL, scheme: string): RemoteLocation {
  const bare = withoutUser(url)
  const { ports, namesBuckets } = findProtocol(scheme)
  const place = namesBuckets === true ? { isBucket: true as const } : {}
  const path = pathOf(bare, place)
  const host = decodePart(bare.hostname, url.href).replace(/^\[|\]$/g, '')
  if (host === '' || (namesBuckets === true && !bucketName.test(host)))
    malformed(url.href, 'it contains no host name')
  if (namesBuckets === true && bare.port !== '') malformed(url.href, 'a bucket URL must not have a port')
  const port = bare.port === '' ? (ports[scheme] ?? 0) : Number(bare.port)
  return { scheme, host, port, path, url: bare.href, ...place }
}

/**
 * Parses a location and the credentials in it. Throws `Failure` (`invalid-location`), which repeats neither.
 */
export function parseLocation(text: string): { location: RemoteLocation; credentials: RemoteCredentials } {
  const { url, scheme } = parseUrl(text.trim())
  const username = decodePart(url.username, url.href)
  const password = decodePart(url.password, url.href)
  if (/\p{Cc}/u.test(username + password)) malformed(url.href, 'its user name contains a control character')
  return {
    location: locationOf(url, scheme),
    credentials: {
      username: username === '' ? undefined : username,
      password: password === '' ? undefined : password,
    },
  }
}
