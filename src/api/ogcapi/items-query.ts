import type { LayerRecord } from '../../catalog/index.ts'
import { invalid } from '../../core/errors/errors.ts'
import { isDuration, movedBy } from '../../core/values/durations.ts'
import { TimeReader } from '../../core/values/time-reader.ts'
import { rfc3339 } from '../../core/values/time-rules.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { timeAttribute } from '../../geo/schema.ts'
import type { FeatureQuery, RequestBox } from '../../stores/index.ts'
import type { RequestedCrs } from '../crs-uris.ts'
import { crs84, parseCrsUri } from '../crs-uris.ts'
import type { FilterParameters } from '../filter-query.ts'
import { supportedCrs } from './collection.ts'
import type { NamingParameters } from './property-names.ts'

export const defaultLimit = 100
export const maxLimit = 10_000

/** Query parameters of `/items`, as text. */
export interface ItemsParameters extends FilterParameters, NamingParameters {
  limit?: string
  offset?: string
  position?: string
  version?: string
  bbox?: string
  'bbox-crs'?: string
  datetime?: string
  crs?: string
}

function wholeNumber(name: string, text: string | undefined, fallback: number, least: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= least) return value
  throw invalid('invalid-parameter', `${name} "${text}" is not a whole number from ${least}`)
}

/** Returns the CRS requested for features: CRS84, or one that the collection lists. */
export function requestedCrs(layer: LayerRecord, text: string | undefined, name = 'crs'): RequestedCrs {
  if (text === undefined) return crs84
  const crs = parseCrsUri(name, text)
  if (supportedCrs(layer).includes(crs.uri)) return crs
  throw invalid(
    'unsupported-crs',
    `${name} "${text}" is not offered: the collection lists ${supportedCrs(layer).join(', ')}`,
  )
}

/** Returns the CRS in a client's `Content-Crs` header: CRS84, or one that the collection lists. */
export function writtenCrs(layer: LayerRecord, header: string | undefined): RequestedCrs {
  return requestedCrs(layer, header?.trim().replace(/^<([^<>]*)>$/, '$1'), 'Content-Crs')
}

/** Four or six numbers of `bbox` as an envelope in x, y order. */
function parseBbox(text: string, isYx: boolean): Envelope {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const corners = numbers.length === 6 ? [0, 1, 3, 4] : [0, 1, 2, 3]
  const [a, b, c, d] = corners.map((index) => numbers[index] ?? Number.NaN) as [
    number,
    number,
    number,
    number,
  ]
  if ((numbers.length !== 4 && numbers.length !== 6) || !numbers.every(Number.isFinite)) {
    throw invalid('invalid-bbox', `bbox "${text}" is not four or six numbers separated by commas`)
  }
  const envelope = isYx ? { minX: b, minY: a, maxX: d, maxY: c } : { minX: a, minY: b, maxX: c, maxY: d }
  if (envelope.minY <= envelope.maxY) return envelope
  throw invalid('invalid-bbox', `bbox "${text}" has its upper edge below its lower one`)
}

/** Splits a box that crosses the antimeridian (OGC 17-069r4, section 7.15.3) in two. */
function unwrap(envelope: Envelope): Envelope[] {
  if (envelope.minX <= envelope.maxX) return [envelope]
  return [
    { ...envelope, maxX: 180 },
    { ...envelope, minX: -180 },
  ]
}

/** Returns `bbox` as given, undefined if absent. */
export function readBox(parameters: ItemsParameters): RequestBox | undefined {
  if (parameters.bbox === undefined) return undefined
  const named = parameters['bbox-crs']
  const crs = named === undefined ? crs84 : parseCrsUri('bbox-crs', named)
  return { boxes: unwrap(parseBbox(parameters.bbox, crs.isYx)), srs: crs.srs }
}

const times = new TimeReader(rfc3339)
const dayEndMs = 86_399_999

function parseInstant(text: string, edge: 'from' | 'to'): string | undefined {
  if (text === '' || text === '..') return undefined
  if (!times.parseText(text)) {
    throw invalid('invalid-datetime', `datetime "${text}" is not a date or time as in RFC 3339, section 5.6`)
  }
  const isWholeDay = edge === 'to' && !times.hasTime
  return new Date(times.milliseconds + (isWholeDay ? dayEndMs : 0)).toISOString()
}

/** Returns the interval between an instant and a duration (ISO 8601-1, section 5.5.2) after or before it. */
function spanOf(text: string, instant: string, duration: string, sign: 1 | -1): { from: string; to: string } {
  const one = isDuration(instant) ? undefined : parseInstant(instant, 'from')
  const other = one === undefined ? undefined : movedBy(Date.parse(one), duration, sign)
  if (one === undefined || other === undefined)
    throw invalid(
      'invalid-datetime',
      `datetime "${text}" has a duration without a date or time within the years 1 to 9999 beside it`,
    )
  const end = new Date(other).toISOString()
  return sign === 1 ? { from: one, to: end } : { from: end, to: one }
}

/** `datetime` as an interval; an end that is open is absent. */
export function readInterval(text: string): { from?: string; to?: string } {
  const parts = text.split('/')
  if (parts.length > 2) throw invalid('invalid-datetime', `datetime "${text}" has more than one "/"`)
  const [first = '', second = first] = parts
  if (isDuration(first)) return spanOf(text, second, first, -1)
  if (isDuration(second)) return spanOf(text, first, second, 1)
  const from = parseInstant(first, 'from')
  const to = parseInstant(second, 'to')
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid('invalid-datetime', `datetime "${text}" ends before it begins`)
  }
  return { from, to }
}

/** `datetime` as an interval over the layer's time attribute; without such an attribute it filters nothing. */
export function readTimeQuery(layer: LayerRecord, text: string | undefined): FeatureQuery['time'] {
  if (text === undefined) return undefined
  const interval = readInterval(text)
  const attribute = timeAttribute(layer.details.schema)
  return attribute && { attribute: attribute.name, ...interval }
}

/** A page: `limit` at most `most`. */
export function readPage(
  parameters: ItemsParameters,
  { usual, most } = { usual: defaultLimit, most: maxLimit },
): { limit: number; offset: number } {
  return {
    limit: Math.min(most, wholeNumber('limit', parameters.limit, usual, 1)),
    offset: wholeNumber('offset', parameters.offset, 0, 0),
  }
}
