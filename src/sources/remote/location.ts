import { invalid } from '../../lib/errors.ts'

export interface RemoteLocation {
  /** That of a protocol in the registry. */
  scheme: string
  /** Name or address of the server; the bucket where addresses name buckets. */
  host: string
  port: number
  /** Decoded path; without the slash in front where addresses name buckets. */
  path: string
  /** The address without credentials. */
  url: string
  /** Whether the address names a bucket and a key in place of a host and a path. */
  isBucket?: true
}

const shownLength = 200

/** Throws `Failure` (`invalid-location`), which repeats no credentials. */
export function malformed(text: string, why: string): never {
  const shown = text
    .replace(/\/\/[^/?#]*@/, '//')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, shownLength)
  throw invalid('invalid-location', `The location "${shown}" cannot be used: ${why}`)
}

/** A part of an address without its escapes; `whole` is named where that fails. */
export function decode(text: string, whole: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return malformed(whole, 'a % in it is followed by no hexadecimal number')
  }
}

/** An address without its user part and fragment. */
export function withoutUser(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}

/** The path that an address means. */
export function pathOf(url: URL, { isBucket }: Pick<RemoteLocation, 'isBucket'>): string {
  const path = decode(url.pathname, url.href)
  if (/\p{Cc}/u.test(path)) malformed(url.href, 'it holds a control character')
  if (isBucket === true) return path.slice(1)
  return path === '' ? '/' : path
}

/** The location of another file beside this one: the path changed, host and query kept. */
export function withPath(location: RemoteLocation, change: (path: string) => string): RemoteLocation {
  const url = new URL(location.url)
  url.pathname = change(url.pathname)
  return { ...location, path: pathOf(url, location), url: url.href }
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
