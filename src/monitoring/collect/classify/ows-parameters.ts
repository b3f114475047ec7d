import { BoundedCache } from '../../../core/caches/bounded-cache.ts'

/**
 * Parameters of OGC requests that identify the operation and its layers. If a parameter is repeated, the
 * first non-empty value counts.
 */
export interface OwsParameters {
  service?: string
  request?: string
  layers?: string
  query_layers?: string
  layer?: string
  typename?: string
  typenames?: string
  coverage?: string
  coverageid?: string
  identifier?: string
  identifiers?: string
}

const names = [
  'service',
  'request',
  'layers',
  'query_layers',
  'layer',
  'typename',
  'typenames',
  'coverage',
  'coverageid',
  'identifier',
  'identifiers',
] as const

const maxQueryLength = 32_768
const maxCachedKeys = 1000
const percent = '%'.charCodeAt(0)

/** Returns a function that recognizes the parameter name in `query[start, end)`, ignoring case and percent-encoding. */
export function parameterNames<T extends string>(
  all: readonly T[],
): (query: string, start: number, end: number) => T | undefined {
  const lengths = all.map(({ length }) => length)
  const [shortest, longest] = [Math.min(...lengths), 3 * Math.max(...lengths)]
  const initials = new Set([percent])
  for (const name of all) for (const text of [name, name.toUpperCase()]) initials.add(text.charCodeAt(0))
  const find = (key: string): T | '' => {
    const decoded = decodeParameter(key).toLowerCase()
    return all.find((name) => name === decoded) ?? ''
  }
  const cached = new BoundedCache<string, T | ''>(maxCachedKeys)
  return (query, start, end) => {
    if (end - start < shortest || end - start > longest || !initials.has(query.charCodeAt(start))) return
    return cached.get(query.slice(start, end), find) || undefined
  }
}

/** Calls `take` with the bounds of each parameter that has a name and a value. */
export function eachParameter(
  query: string,
  maxLength: number,
  take: (start: number, equals: number, stop: number) => void,
): void {
  const end = Math.min(query.length, maxLength)
  for (let start = 0, equals = -1; start < end; ) {
    if (equals < start) equals = query.indexOf('=', start)
    if (equals < 0) return
    let stop = query.indexOf('&', start)
    if (stop < 0 || stop > end) stop = end
    if (equals > start && equals < stop - 1) take(start, equals, stop)
    start = stop + 1
  }
}

const nameAt = parameterNames(names)

/** Reads a query string (without `?`) or the body of a form. */
export function readOwsParameters(query: string): OwsParameters {
  const found: OwsParameters = {}
  eachParameter(query, maxQueryLength, (start, equals, stop) => {
    const name = nameAt(query, start, equals)
    if (name === undefined || found[name] !== undefined) return
    const value = decodeParameter(query.slice(equals + 1, stop)).trim()
    if (value !== '') found[name] = value
  })
  return found
}

/** Decodes percent-encoding and `+`; returns a text with invalid encoding unchanged. */
export function decodeParameter(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
