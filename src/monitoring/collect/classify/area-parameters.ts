import { BoundedCache } from '../../../core/caches/bounded-cache.ts'
import { parseSrs } from '../../../geo/crs-database.ts'
import type { RequestEventType } from '../../model/event-types.ts'
import { decodeParameter, eachParameter, parameterNames } from './ows-parameters.ts'

/** The bounding box of a request, as written by the client. */
export interface AreaParameters {
  numbers: readonly [number, number, number, number]
  /** CRS as returned by `parseSrs`. */
  srs: string
  /** True if coordinates are in the axis order of the CRS's authority; otherwise x comes first. */
  isAuthorityOrder: boolean
}

const names = [
  'bbox',
  'crs',
  'srs',
  'srsname',
  'version',
  'bbox-crs',
  'subset',
  'subset-crs',
  'boundingbox',
  'tilematrixset',
  'tilematrix',
  'tilerow',
  'tilecol',
  'request',
] as const
type Name = (typeof names)[number]
const nameAt = parameterNames(names)
const maxQueryLength = 8192

/** Unofficial names of Web Mercator. */
const webMercatorNames = ['EPSG:900913', 'EPSG:3785', 'EPSG:102100', 'ESRI:102100']

/** Query parameters that define an area, by lower-case name; `subset` may be repeated. */
export type QueryParameters = Partial<Record<Name, string[]>>

/** Reads a query string (without `?`). */
export function readAreaQuery(query: string): QueryParameters {
  const found: QueryParameters = {}
  eachParameter(query, maxQueryLength, (start, equals, stop) => {
    const name = nameAt(query, start, equals)
    if (name === undefined) return
    const value = decodeParameter(query.slice(equals + 1, stop)).trim()
    if (value === '') return
    const values = found[name]
    if (values === undefined) found[name] = [value]
    else values.push(value)
  })
  return found
}

/** Returns the requested box; undefined if there is none or its notation is unknown. */
export function readArea(
  parameters: QueryParameters,
  eventType: RequestEventType | null,
): AreaParameters | undefined {
  const subset = areaOfSubset(parameters)
  if (subset !== undefined) return subset
  const [text] = parameters.bbox ?? parameters.boundingbox ?? []
  if (text === undefined) return undefined
  const parts = text.split(',').map((one) => one.trim())
  const own = parts.length === 5 || parts.length === 7 ? parts.pop() : undefined
  const numbers = toBox(parts)
  return numbers === undefined ? undefined : { numbers, ...crsOf(parameters, eventType, own) }
}

/** Reads four or six numbers; of six, the third and sixth are heights. */
function toBox(parts: readonly string[]): AreaParameters['numbers'] | undefined {
  if (parts.length !== 4 && parts.length !== 6) return undefined
  const all = parts.map((one) => (one === '' ? Number.NaN : Number(one)))
  if (!all.every(Number.isFinite)) return undefined
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = all
  return parts.length === 4 ? [a, b, c, d] : [a, b, d, e]
}

function crsOf(
  { crs, srs, srsname, version, 'bbox-crs': boxCrs }: QueryParameters,
  eventType: RequestEventType | null,
  own: string | undefined,
): Pick<AreaParameters, 'srs' | 'isAuthorityOrder'> {
  const [text = ''] = own === undefined ? (boxCrs ?? crs ?? srs ?? srsname ?? []) : [own]
  const { id, isLonLat, isLong } =
    text.length > maxCachedName ? readCrsName(text) : crsNames.get(text, readCrsName)
  if (isLonLat) return { srs: id, isAuthorityOrder: false }
  const number = version?.[0] ?? ''
  // WMS 1.3.0 always uses the axis order of the authority. In other services only URNs and URLs imply that
  // order.
  const isOrdered = eventType === 'OWS:WMS' ? !/^1\.[01]/.test(number) : isLong
  return { srs: id, isAuthorityOrder: isOrdered }
}

interface CrsName {
  id: string
  /** True for CRS84. */
  isLonLat: boolean
  /** True for a URN or URL. */
  isLong: boolean
}

const maxCachedName = 200
const crsNames = new BoundedCache<string, CrsName>(1000)

function readCrsName(text: string): CrsName {
  if (text === '' || /CRS:?84|OGC.*84$/i.test(text)) return { id: 'EPSG:4326', isLonLat: true, isLong: false }
  const id = parseSrs(text) ?? 'EPSG:4326'
  const isLong = /^(?:urn:|https?:)/i.test(text) && !/gml\/srs\//i.test(text)
  return { id: webMercatorNames.includes(id) ? 'EPSG:3857' : id, isLonLat: false, isLong }
}

const xAxes = /^(?:long?|longitude|x|e|easting|i)$/i
const yAxes = /^(?:lat|latitude|y|n|northing|j)$/i

/**
 * Reads `subset` of WCS 2 and OGC API Coverages: `Lat(40,50)` and `Long(5,10)` in any order, as separate
 * parameters or separated by a comma.
 */
function areaOfSubset({ subset, 'subset-crs': crs }: QueryParameters): AreaParameters | undefined {
  if (subset === undefined) return undefined
  const ranges = subset.flatMap((one) => [...one.matchAll(/(\w+)(?:,[^()]{1,100})?\(([^()]{1,60})\)/g)])
  const rangeOf = (axes: RegExp): number[] | undefined => {
    const found = ranges
      .find(([, name = '']) => axes.test(name))?.[2]
      ?.split(/[,:]/)
      .map(Number)
    return found?.length === 2 && found.every(Number.isFinite) ? found : undefined
  }
  const [x, y] = [rangeOf(xAxes), rangeOf(yAxes)]
  if (x === undefined || y === undefined) return undefined
  const numbers = [x[0] ?? 0, y[0] ?? 0, x[1] ?? 0, y[1] ?? 0] as const
  return { numbers, srs: parseSrs(crs?.[0] ?? '') ?? 'EPSG:4326', isAuthorityOrder: false }
}
