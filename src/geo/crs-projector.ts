import proj4 from 'proj4'
import { ownValue } from '../core/values/record-keys.ts'
import type { CrsShape } from './crs.ts'

/** A position that a projector changes in place: radians east and north, or metres. */
export interface ProjectedPoint {
  x: number
  y: number
}

/**
 * Converts coordinates of one CRS to longitude and latitude in radians from its own prime meridian, and back.
 * In place.
 */
export interface Projector {
  toRadians(place: ProjectedPoint): void
  fromRadians(place: ProjectedPoint): void
}

const radiansPerDegree = Math.PI / 180

/** PROJ's names of the projections of `normalizeProjection` for which proj4 calculates the same as PROJ. */
const projections: Record<string, string> = {
  tmerc: 'etmerc',
  lcc: 'lcc',
  merc: 'merc',
  stere: 'stere',
  sterea: 'sterea',
  aea: 'aea',
  laea: 'laea',
  cass: 'cass',
  omerc: 'omerc',
  omercA: 'omerc',
  somerc: 'somerc',
  krovak: 'krovak',
  poly: 'poly',
  nzmg: 'nzmg',
  eqc: 'eqc',
  cea: 'cea',
  sinu: 'sinu',
  moll: 'moll',
  eqearth: 'eqearth',
  eck6: 'eck6',
  vandg: 'vandg',
  bonne: 'bonne',
  aeqd: 'aeqd',
  ortho: 'ortho',
  gnom: 'gnom',
  eqdc: 'eqdc',
}

/** Returns the projector of a shape; undefined if this program has none. */
export function findProjector(shape: CrsShape): Projector | undefined {
  const { method, unit, axis } = shape
  if (method === 'longlat') return geographicProjector(unit * radiansPerDegree)
  if (method === 'webmerc') return webMercator(shape)
  const name = method === undefined ? undefined : ownValue(projections, method)
  const sign = axis === undefined ? 1 : axis === 'wsu' ? -1 : 0
  if (name === undefined || sign === 0) return undefined
  return libraryProjector(definition(name, shape), unit * sign)
}

function geographicProjector(factor: number): Projector {
  return {
    toRadians: (place) => {
      place.x *= factor
      place.y *= factor
    },
    fromRadians: (place) => {
      place.x /= factor
      place.y /= factor
    },
  }
}

/**
 * Creates the projector of web maps (EPSG method 1024), which uses ellipsoidal latitudes as if on a sphere.
 */
function webMercator({ semiMajor, parameters, unit }: CrsShape): Projector {
  const radius = semiMajor / unit
  const x0 = (parameters.x_0 ?? 0) / unit
  const y0 = (parameters.y_0 ?? 0) / unit
  const lon0 = (parameters.lon_0 ?? 0) * radiansPerDegree
  return {
    toRadians: (place) => {
      place.x = (place.x - x0) / radius + lon0
      place.y = Math.PI / 2 - 2 * Math.atan(Math.exp((y0 - place.y) / radius))
    },
    fromRadians: (place) => {
      const isPole = Math.abs(place.y) > Math.PI / 2 - 1e-10
      place.x = wrapped(place.x - lon0) * radius + x0
      place.y = isPole ? Number.NaN : Math.log(Math.tan(Math.PI / 4 + place.y / 2)) * radius + y0
    },
  }
}

/**
 * PROJ's tolerance for longitudes beyond the 180th meridian before it wraps them: data that end there may
 * overshoot.
 */
const overshoot = 1e-12

/** Wraps a longitude difference to the range from -pi to pi. */
export function wrapped(radians: number): number {
  if (Math.abs(radians) < Math.PI + overshoot) return radians
  return radians - 2 * Math.PI * Math.floor((radians + Math.PI) / (2 * Math.PI))
}

function definition(name: string, shape: CrsShape): string {
  const { semiMajor, inverseFlattening, parameters, method } = shape
  const given: Record<string, number> = { lat_0: 0, lon_0: 0, x_0: 0, y_0: 0, ...parameters }
  const words = [`+proj=${name}`]
  for (const [key, value] of Object.entries(given)) {
    words.push(`+${key === 'lon_0' && name === 'omerc' ? 'lonc' : key}=${value}`)
  }
  if (method === 'omercA') words.push('+no_uoff')
  words.push(`+a=${semiMajor}`)
  words.push(inverseFlattening === 0 ? `+b=${semiMajor}` : `+rf=${inverseFlattening}`)
  return words.join(' ')
}

interface LibraryProjection {
  forward(place: ProjectedPoint): ProjectedPoint
  inverse(place: ProjectedPoint): ProjectedPoint
}

/** Creates a projector from proj4. Positions for which proj4 throws become NaN. */
function libraryProjector(text: string, unit: number): Projector | undefined {
  let projection: LibraryProjection
  try {
    projection = new proj4.Proj(text)
  } catch {
    return undefined
  }
  const run = (step: 'forward' | 'inverse', place: ProjectedPoint): void => {
    try {
      const { x, y } = projection[step](place)
      place.x = x
      place.y = y
    } catch {
      place.x = Number.NaN
      place.y = Number.NaN
    }
  }
  return {
    toRadians: (place) => {
      place.x *= unit
      place.y *= unit
      run('inverse', place)
    },
    fromRadians: (place) => {
      run('forward', place)
      place.x /= unit
      place.y /= unit
    },
  }
}

/** A message to the user about a reprojection. */
export interface ReprojectMessage {
  code: 'grid-missing' | 'no-datum-shift'
  message: string
}

/**
 * Transforms coordinates between two CRSs, x before y in both. `coordinates` contains x, y and height of each
 * point (height 0 if there is none) and is changed in place; x and y become NaN if there is no result,
 * heights are unchanged.
 */
export interface Reprojector {
  isIdentity: boolean
  /** Transforms one point in place; undefined if a program is needed. */
  transformPlace: ((place: ProjectedPoint, height: number) => void) | undefined
  transform(coordinates: Float64Array): void | Promise<void>
  messages: ReprojectMessage[]
  close(): Promise<void>
}
