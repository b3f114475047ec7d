import { overshootDegrees } from '../crs-candidates.ts'
import type { Projector } from '../crs-projector.ts'
import type { Envelope } from '../envelope.ts'
import type { CountryBox } from './countries.ts'

/** Interpretation of the numbers as coordinates of a system. */
export interface Reading {
  /** Northing or latitude stands first. */
  isSwapped: boolean
  /** In units of the system: 0.001 where they are thousandths of it. */
  factor: number
}

const degrees = 180 / Math.PI
/** The corners, the middles of the edges and the middle of an envelope. */
const shares = [0, 0.5, 1]
const asTheyAre: Reading = { isSwapped: false, factor: 1 }

/**
 * Returns longitude and latitude in degrees of nine points of an envelope, the fifth its middle; undefined where one of them
 * has no place. `primeMeridian` is in degrees from Greenwich.
 */
export function gridPoints(
  projector: Projector,
  primeMeridian: number,
  { minX, minY, maxX, maxY }: Envelope,
  { isSwapped, factor }: Reading = asTheyAre,
): [number, number][] | undefined {
  const points: [number, number][] = []
  for (const across of shares) {
    for (const up of shares) {
      const x = (minX + (maxX - minX) * across) * factor
      const y = (minY + (maxY - minY) * up) * factor
      const place = isSwapped ? { x: y, y: x } : { x, y }
      const given = { ...place }
      projector.toRadians(place)
      const longitude = place.x * degrees + primeMeridian
      const latitude = place.y * degrees
      if (!(Number.isFinite(longitude) && isLatitude(latitude) && Math.abs(longitude) <= 540))
        return undefined
      points.push([longitude, Math.max(-90, Math.min(90, latitude))])
      if (across !== 0.5 || up !== 0.5) continue
      projector.fromRadians(place)
      const off = Math.hypot(place.x - given.x, place.y - given.y)
      if (!(off <= 1 + 1e-6 * Math.hypot(given.x, given.y))) return undefined
    }
  }
  return joined(points)
}

/** Returns the points with longitudes within 180 degrees of the middle one, so that data across the antimeridian stay together. */
function joined(points: [number, number][]): [number, number][] {
  const [center = 0] = points[4] ?? []
  return points.map(([x, y]) => [x + 360 * Math.round((center - x) / 360), y])
}

function isLatitude(latitude: number): boolean {
  return Math.abs(latitude) <= 90 + overshootDegrees
}

/** Returns true if a point lies in a box of degrees, by whatever turn of the earth. */
export function isPointInBox(x: number, y: number, [west, south, east, north]: CountryBox): boolean {
  if (y < south - overshootDegrees || y > north + overshootDegrees) return false
  return [-360, 0, 360].some(
    (turn) => x + turn >= west - overshootDegrees && x + turn <= east + overshootDegrees,
  )
}

/** The box around points. */
export function pointsBox(points: [number, number][]): CountryBox {
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
