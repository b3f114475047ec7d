import { ownValue } from '../core/values/record-keys.ts'
import type { CrsShape } from './crs.ts'
import { normalizeProjection } from './crs-methods.ts'

/** Semi-major axis in metres and inverse flattening (0: sphere) of PROJ's ellipsoid names. */
const ellipsoids: Record<string, readonly [number, number]> = {
  WGS84: [6378137, 298.257223563],
  GRS80: [6378137, 298.257222101],
  WGS72: [6378135, 298.26],
  WGS66: [6378145, 298.25],
  GRS67: [6378160, 298.247167427],
  aust_SA: [6378160, 298.25],
  bessel: [6377397.155, 299.1528128],
  bess_nam: [6377483.865, 299.1528128],
  clrk66: [6378206.4, 294.9786982138982],
  clrk80: [6378249.145, 293.4663],
  clrk80ign: [6378249.2, 293.4660212936269],
  intl: [6378388, 297],
  helmert: [6378200, 298.3],
  krass: [6378245, 298.3],
  airy: [6377563.396, 299.3249646],
  mod_airy: [6377340.189, 299.3249373654898],
  evrst30: [6377276.345, 300.8017],
  evrst48: [6377304.063, 300.8017],
  evrst56: [6377301.243, 300.8017],
  evrst69: [6377295.664, 300.8017],
  evrstSS: [6377298.556, 300.8017],
  danish: [6377019.2563, 300],
  GSK2011: [6378136.5, 298.2564151],
  PZ90: [6378136, 298.25784],
  sphere: [6370997, 0],
  IAU76: [6378140, 298.257],
  NWL9D: [6378145, 298.25],
  hough: [6378270, 297],
  fschr60: [6378166, 298.3],
  fschr60m: [6378155, 298.3],
  fschr68: [6378150, 298.3],
  walbeck: [6376896, 302.7800001823],
}

const datums: Record<string, { ellipsoid: string; name: string }> = {
  WGS84: { ellipsoid: 'WGS84', name: 'WGS 84' },
  NAD83: { ellipsoid: 'GRS80', name: 'North American Datum 1983' },
  NAD27: { ellipsoid: 'clrk66', name: 'North American Datum 1927' },
  GGRS87: { ellipsoid: 'GRS80', name: 'Greek Geodetic Reference System 1987' },
  potsdam: { ellipsoid: 'bessel', name: 'Deutsches Hauptdreiecksnetz' },
  carthage: { ellipsoid: 'clrk80ign', name: 'Carthage' },
  hermannskogel: { ellipsoid: 'bessel', name: 'Militar-Geographische Institut' },
  ire65: { ellipsoid: 'mod_airy', name: 'TM65' },
  nzgd49: { ellipsoid: 'intl', name: 'New Zealand Geodetic Datum 1949' },
  OSGB36: { ellipsoid: 'airy', name: 'Ordnance Survey of Great Britain 1936' },
}

/** Longitudes in degrees of PROJ's prime meridian names. */
const primeMeridians: Record<string, number> = {
  greenwich: 0,
  lisbon: -9.131906111111112,
  paris: 2.337229166666667,
  bogota: -74.08091666666667,
  madrid: -3.687938888888889,
  rome: 12.452333333333332,
  bern: 7.439583333333333,
  jakarta: 106.80771944444444,
  ferro: -17.666666666666668,
  brussels: 4.367975,
  stockholm: 18.05827777777778,
  athens: 23.7163375,
  oslo: 10.722916666666666,
}

/** Metres of PROJ's unit names. */
const lengthUnits: Record<string, number> = {
  m: 1,
  km: 1000,
  ft: 0.3048,
  'us-ft': 1200 / 3937,
  yd: 0.9144,
  link: 0.201168,
  ch: 20.1168,
  'ind-yd': 0.91439523,
  fath: 1.8288,
  kmi: 1852,
}

/** Parses the parameters of a PROJ string; `true` is the value of a parameter without one. */
function parseProj(text: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const word of text.slice(0, 5000).split(/\s+/)) {
    const match = /^\+?([A-Za-z_][\w]*)(?:=(.*))?$/.exec(word)
    if (match?.[1] !== undefined && !parameters.has(match[1])) parameters.set(match[1], match[2] ?? 'true')
  }
  return parameters
}

const projectionKeys = [
  'lat_0',
  'lon_0',
  'lat_1',
  'lat_2',
  'lat_ts',
  'k_0',
  'x_0',
  'y_0',
  'alpha',
  'gamma',
  'lonc',
]

/** Returns the shape of a PROJ string; undefined for a pipeline and for other text. */
export function shapeOfProj(text: string): CrsShape | undefined {
  const given = parseProj(text)
  const name = given.get('proj')
  const datum = ownValue(datums, given.get('datum') ?? '')
  const ellipsoid = ellipsoidOf(given, datum?.ellipsoid)
  if (name === undefined || name === 'pipeline' || ellipsoid === undefined) return undefined
  const isGeographic = name === 'longlat' || name === 'latlong' || name === 'lonlat' || name === 'latlon'
  const shape = {
    semiMajor: ellipsoid[0],
    inverseFlattening: ellipsoid[1],
    primeMeridian: meridianOf(given.get('pm')),
    datumName: datum?.name,
  }
  if (isGeographic) return { ...shape, kind: 'geographic', method: 'longlat', parameters: {}, unit: 1 }
  const projection = projectionOf(name, given)
  if (projection.method === 'webmerc') Object.assign(shape, webMercatorDatum)
  const axis = given.get('axis')
  const turned = axis === undefined || axis === 'enu' ? {} : { axis }
  return { ...shape, kind: 'projected', unit: unitOf(given), ...projection, ...turned }
}

const webMercatorDatum = { semiMajor: 6378137, inverseFlattening: 298.257223563, datumName: 'WGS 84' }

function numbers(given: Map<string, string>, keys: readonly string[]): Record<string, number> {
  const values: Record<string, number> = {}
  for (const key of keys) {
    const value = Number(given.get(key) ?? Number.NaN)
    if (Number.isFinite(value)) values[key] = value
  }
  return values
}

function ellipsoidOf(
  given: Map<string, string>,
  byDatum: string | undefined,
): readonly [number, number] | undefined {
  const { R, a, b, rf, f } = numbers(given, ['R', 'a', 'b', 'rf', 'f'])
  if (R !== undefined) return [R, 0]
  const named = ownValue(ellipsoids, given.get('ellps') ?? byDatum ?? (a === undefined ? 'GRS80' : ''))
  const major = a ?? named?.[0]
  if (major === undefined) return undefined
  if (rf !== undefined) return [major, rf]
  if (b !== undefined) return [major, b === major ? 0 : major / (major - b)]
  if (f !== undefined) return [major, f === 0 ? 0 : 1 / f]
  return [major, named?.[1] ?? 0]
}

function meridianOf(text: string | undefined): number {
  if (text === undefined) return 0
  const number = Number(text)
  return Number.isFinite(number) ? number : (ownValue(primeMeridians, text.toLowerCase()) ?? 0)
}

function unitOf(given: Map<string, string>): number {
  const factor = Number(given.get('to_meter') ?? Number.NaN)
  return Number.isFinite(factor) && factor > 0
    ? factor
    : (ownValue(lengthUnits, given.get('units') ?? 'm') ?? 1)
}

function projectionOf(name: string, given: Map<string, string>): Pick<CrsShape, 'method' | 'parameters'> {
  const p = numbers(given, projectionKeys)
  const scale = Number(given.get('k') ?? Number.NaN)
  if (p.k_0 === undefined && Number.isFinite(scale)) p.k_0 = scale
  if (name === 'utm') {
    const zone = Number(given.get('zone') ?? 0)
    const northing = given.has('south') ? 10_000_000 : 0
    return normalizeProjection('tmerc', { lon_0: zone * 6 - 183, k_0: 0.9996, x_0: 500_000, y_0: northing })
  }
  if (name === 'merc' && given.get('nadgrids') === '@null') return normalizeProjection('webmerc', p)
  if (name === 'omerc' && given.has('no_uoff')) return normalizeProjection('omercA', p)
  return normalizeProjection(name === 'etmerc' ? 'tmerc' : name, p)
}
