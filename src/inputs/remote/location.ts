import { invalid } from '../../core/errors/errors.ts'

export interface RemoteLocation {
  /** Scheme of a protocol in the registry. */
  scheme: string
  /** Name or address of the server; the bucket if the address names one. */
  host: string
  port: number
  /** Decoded path; without the leading slash if the address names a bucket. */
  path: string
  /** URL without credentials. */
  url: string
  /** True if the address names a bucket and a key instead of a host and a path. */
  isBucket?: true
}

const shownLength = 200

/** Throws `Failure` (`invalid-location`), which contains no credentials. */
export function malformed(text: string, why: string): never {
  const shown = text
    .replace(/\/\/[^/?#]*@/, '//')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, shownLength)
  throw invalid('invalid-location', `The location "${shown}" cannot be used: ${why}`)
}

/** Decodes the escapes of a part of a URL; `whole` is named in the error. */
export function decodePart(text: string, whole: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return malformed(whole, 'it contains a % without a hexadecimal number')
  }
}

/** Returns a URL without its user part and fragment. */
export function withoutUser(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}

/** Returns the path of a URL. */
export function pathOf(url: URL, { isBucket }: Pick<RemoteLocation, 'isBucket'>): string {
  const path = decodePart(url.pathname, url.href)
  if (/\p{Cc}/u.test(path)) malformed(url.href, 'it contains a control character')
  if (isBucket === true) return path.slice(1)
  return path === '' ? '/' : path
}

/**
 * Returns the location of another file on the same server: with a changed path, and the same host and query.
 */
export function withPath(location: RemoteLocation, change: (path: string) => string): RemoteLocation {
  const url = new URL(location.url)
  url.pathname = change(url.pathname)
  return { ...location, path: pathOf(url, location), url: url.href }
}

/** Returns the location of a folder entry; that of a folder ends with a slash. */
export function childOf(folder: RemoteLocation, name: string, isFolder: boolean): RemoteLocation {
  const path = [...name.split('/').map(encodeURIComponent), ...(isFolder ? [''] : [])].join('/')
  return withPath(folder, (base) => base + path)
}

/** Returns a location for messages: without credentials and query. */
export function shownLocation(location: RemoteLocation): string {
  return location.url.replace(/[?#].*$/s, '').slice(0, 300)
}
