import { Failure, invalid } from '../../core/errors/errors.ts'
import { parseCql2Json } from '../../filters/cql2-json.ts'
import { requireLatitudes } from '../../filters/require-crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { wkbEnvelope } from '../../geo/wkb.ts'
import { indexSchema } from '../../importer/index.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import { toRequestFilter } from '../../stores/reading/request-filter.ts'
import { readBox, readInterval } from '../ogcapi/items-query.ts'

export const defaultItems = 100
export const maxItems = 1000
/** Maximum number of ids, and of collections, of a search. */
export const maxNamed = 1000

/** Parameters of a search, as a GET request has them. */
export interface SearchParameters {
  bbox?: string
  datetime?: string
  collections?: string
  ids?: string
  intersects?: string
  limit?: string
  token?: string
}

/** Body of a search by POST. */
export interface SearchBody {
  bbox?: number[]
  datetime?: string
  collections?: string[]
  ids?: string[]
  intersects?: object
  limit?: number
  token?: string
}

/** Start of a page: a layer, and the position among its granules. */
export interface ItemPosition {
  layer: string
  /** Text of a position, or the number of granules to skip. */
  from: string | number
}

/** A search for items. */
export interface ItemSearch {
  collections?: ReadonlySet<string>
  ids?: readonly string[]
  /** Boxes in degrees; two if a box crosses the antimeridian. */
  boxes?: Envelope[]
  interval?: { from?: string; to?: string }
  /** Geometry in degrees that items intersect, as a filter of granules. */
  intersects?: { filter: RequestFilter; wkb: Uint8Array; envelope: Envelope }
  limit: number
  position?: ItemPosition
}

/** Reads the parameters of a search. Throws `Failure` (`invalid`) that says what is allowed. */
export function readSearch(parameters: SearchParameters): ItemSearch {
  const { bbox, datetime, collections, ids, intersects, limit, token } = parameters
  if (bbox !== undefined && intersects !== undefined)
    throw invalid('invalid-parameter', 'Only one of bbox and intersects can be given')
  const named = readNames('collections', collections)
  return {
    collections: named === undefined ? undefined : new Set(named),
    ids: readNames('ids', ids),
    boxes: bbox === undefined ? undefined : readBox({ bbox })?.boxes,
    interval: datetime === undefined ? undefined : readInterval(datetime),
    intersects: intersects === undefined ? undefined : readGeometry(intersects),
    limit: readLimit(limit),
    position: token === undefined ? undefined : readPosition(token),
  }
}

/** Returns the body of a search as parameters. Names with commas have no layer, so they find nothing. */
export function parametersOfBody(body: SearchBody): SearchParameters {
  const { bbox, datetime, collections, ids, intersects, limit, token } = body
  return {
    datetime,
    token,
    bbox: bbox?.join(),
    collections: collections?.join(),
    ids: ids?.join(),
    intersects: intersects === undefined ? undefined : JSON.stringify(intersects),
    limit: limit === undefined ? undefined : String(limit),
  }
}

function readNames(parameter: string, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const names = [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== '')
  if (names.length <= maxNamed) return names
  throw invalid(
    'invalid-parameter',
    `${parameter} has ${names.length} names: at most ${maxNamed} are allowed`,
  )
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultItems
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1) return Math.min(maxItems, Number(text))
  throw invalid('invalid-parameter', `limit "${text.slice(0, 60)}" is not a whole number from 1`)
}

function readGeometry(text: string): ItemSearch['intersects'] {
  const geometry = parsedObject(text)
  const written = { op: 's_intersects', args: [{ property: 'footprint' }, geometry] }
  try {
    const expression = parseCql2Json(JSON.stringify(written))
    requireLatitudes(expression)
    const filter = toRequestFilter(expression, indexSchema(undefined), 'EPSG:4326')
    const { requested } = filter
    const envelope = requested.kind === 'relation' ? wkbEnvelope(requested.wkb) : undefined
    if (requested.kind === 'relation' && envelope !== undefined)
      return { filter, wkb: requested.wkb, envelope }
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    throw invalid('invalid-parameter', `intersects cannot be read: ${cause.message}`, { cause })
  }
  throw invalid('invalid-parameter', 'intersects is an empty geometry')
}

function parsedObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'type' in value) return value
  } catch {
    // The error is thrown below.
  }
  throw invalid(
    'invalid-parameter',
    'intersects is not a GeoJSON geometry: expected an object with "type" and "coordinates"',
  )
}

export function writePosition({ layer, from }: ItemPosition): string {
  return Buffer.from(JSON.stringify([layer, from])).toString('base64url')
}

function readPosition(token: string): ItemPosition {
  try {
    const [layer, from, ...others]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString())
    const isNumber = typeof from === 'number' && Number.isSafeInteger(from) && from >= 0
    if (others.length === 0 && typeof layer === 'string' && (typeof from === 'string' || isNumber))
      return { layer, from }
  } catch {
    // The error is thrown below.
  }
  throw invalid('invalid-position', 'token must be taken from the link "next" of a response')
}
