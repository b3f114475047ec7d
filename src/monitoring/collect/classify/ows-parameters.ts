/**
 * Parameters of OGC requests that identify the operation and its layers; of a repeated parameter the first
 * that is not empty.
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
type Name = (typeof names)[number]

const byName = new Map<string, Name>(names.map((name) => [name, name]))
const maxQueryLength = 32_768
const maxKeyLength = 3 * 'query_layers'.length
const minKeyLength = 'layer'.length

/** Reads a query string (without `?`) or the body of a form. */
export function readOwsParameters(query: string): OwsParameters {
  const found: OwsParameters = {}
  const end = Math.min(query.length, maxQueryLength)
  for (let start = 0; start < end; ) {
    let stop = query.indexOf('&', start)
    if (stop < 0 || stop > end) stop = end
    const equals = query.indexOf('=', start)
    if (equals > 0 && equals < stop - 1) {
      const length = equals - start
      if (length >= minKeyLength && length <= maxKeyLength) note(found, query, start, equals, stop)
    }
    start = stop + 1
  }
  return found
}

function note(found: OwsParameters, query: string, start: number, equals: number, stop: number): void {
  const name = byName.get(decodeParameter(query.slice(start, equals)).toLowerCase())
  if (name === undefined || found[name] !== undefined) return
  const value = decodeParameter(query.slice(equals + 1, stop)).trim()
  if (value !== '') found[name] = value
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
