import { invalid } from '../../lib/errors.ts'
import type { RemoteCredentials } from './credentials.ts'

export const remoteSchemes = ['http', 'https', 'ftp', 'ftps', 'sftp', 's3'] as const
export type RemoteScheme = (typeof remoteSchemes)[number]

export interface RemoteLocation {
  scheme: RemoteScheme
  /** Name or address of the server; the bucket of `s3`. */
  host: string
  port: number
  /** Decoded path, without the slash in front for `s3`. */
  path: string
  /** The address without credentials. */
  url: string
}

/** Implicit TLS stands on this port; on any other the connection is upgraded. */
export const implicitFtpsPort = 990
const defaultPorts: Record<RemoteScheme, number> = {
  http: 80,
  https: 443,
  ftp: 21,
  ftps: 21,
  sftp: 22,
  s3: 443,
}
const maxLength = 8000
const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/

function malformed(text: string, why: string): never {
  const shown = text
    .replace(/\/\/[^/?#]*@/, '//')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, 200)
  throw invalid('invalid-location', `The location "${shown}" cannot be used: ${why}`)
}

/** Whether a text is for this host's own files: a path, or a `file:` address. */
export function isLocalLocation(text: string): boolean {
  return /^file:/i.test(text) || !/^[a-z][a-z0-9+.-]*:/i.test(text)
}

function decode(text: string, whole: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return malformed(whole, 'a % in it is followed by no hexadecimal number')
  }
}

function parseUrl(text: string): { url: URL; scheme: RemoteScheme } {
  if (text.length > maxLength) malformed(text, `it has more than ${maxLength} characters`)
  if (/\p{Cc}/u.test(text)) malformed(text, 'it holds a control character')
  const scheme = remoteSchemes.find((one) => text.toLowerCase().startsWith(`${one}:`))
  if (scheme === undefined) malformed(text, `it must begin with one of ${remoteSchemes.join(', ')} or file`)
  const isWhole = new RegExp(`^${scheme}://[^/]`, 'i').test(text) && URL.canParse(text)
  if (!isWhole) malformed(text, `it must be like ${scheme}://host/path`)
  return { url: new URL(text), scheme }
}

/** A URL of the form that `RemoteLocation` has, its user part left out. */
export function locationOf(url: URL): RemoteLocation {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  const text = url.href
  const scheme = remoteSchemes.find((one) => bare.protocol === `${one}:`)
  if (scheme === undefined) malformed(text, 'its scheme is not known')
  const path = decode(bare.pathname, text)
  if (/\p{Cc}/u.test(path)) malformed(text, 'it holds a control character')
  const host = decode(bare.hostname, text).replace(/^\[|\]$/g, '')
  if (host === '' || (scheme === 's3' && !bucketName.test(host))) malformed(text, 'it names no host')
  if (scheme === 's3' && bare.port !== '') malformed(text, 'a bucket has no port')
  return {
    scheme,
    host,
    port: bare.port === '' ? defaultPorts[scheme] : Number(bare.port),
    path: scheme === 's3' ? path.slice(1) : path === '' ? '/' : path,
    url: bare.href,
  }
}

/** Where a text points, and the credentials in it. Throws `Failure` (`invalid-location`), which repeats none of them. */
export function parseLocation(text: string): { location: RemoteLocation; credentials: RemoteCredentials } {
  const { url } = parseUrl(text.trim())
  const username = decode(url.username, url.href)
  const password = decode(url.password, url.href)
  if (/\p{Cc}/u.test(username + password)) malformed(url.href, 'its user name holds a control character')
  return {
    location: locationOf(url),
    credentials: {
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password }),
    },
  }
}

/** The location of another file beside this one: the path changed, host and query kept. */
export function withPath(location: RemoteLocation, change: (path: string) => string): RemoteLocation {
  const url = new URL(location.url)
  url.pathname = change(url.pathname)
  return locationOf(url)
}

/** The location of an entry of a folder; a folder's ends with a slash. */
export function childOf(folder: RemoteLocation, name: string, isFolder: boolean): RemoteLocation {
  const path = [...name.split('/').map(encodeURIComponent), ...(isFolder ? [''] : [])].join('/')
  return withPath(folder, (base) => base + path)
}

/** How messages name a location: without credentials and query. */
export function shownLocation(location: RemoteLocation): string {
  return location.url.replace(/[?#].*$/s, '').slice(0, 300)
}
