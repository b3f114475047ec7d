import type { ProjectedPoint } from './crs-projector.ts'

/** Properties of an ellipsoid that a shift needs. */
export interface Ellipsoid {
  semiMajor: number
  eccentricitySquared: number
}

/** Returns an ellipsoid with this semi-major axis in metres. An inverse flattening of 0 is a sphere. */
export function ellipsoidOf(semiMajor: number, inverseFlattening: number): Ellipsoid {
  const f = inverseFlattening === 0 ? 0 : 1 / inverseFlattening
  return { semiMajor, eccentricitySquared: f * (2 - f) }
}

/** Transforms longitude and latitude (radians, from Greenwich) and a height to another datum. In place. */
export type Shift = (place: ProjectedPoint, height: number) => void

const arcSecond = Math.PI / 648_000

/**
 * The seven-parameter similarity (EPSG methods 9603, 9606) between geocentric coordinates, in PROJ's linear form, or
 * its inverse. `parameters`: x, y, z, rx, ry, rz (position vector), s; see `CrsOperation.shift`.
 */
export function helmertShift(
  parameters: readonly number[],
  from: Ellipsoid,
  to: Ellipsoid,
  isInverse: boolean,
): Shift {
  const [tx = 0, ty = 0, tz = 0, ax = 0, ay = 0, az = 0, ppm = 0] = parameters
  const rx = ax * arcSecond
  const ry = ay * arcSecond
  const rz = az * arcSecond
  const scale = 1 + ppm * 1e-6
  const { semiMajor, eccentricitySquared: e2 } = from
  return (place, height) => {
    const sin = Math.sin(place.y)
    const cos = Math.cos(place.y)
    const normal = semiMajor / Math.sqrt(1 - e2 * sin * sin)
    const x = (normal + height) * cos * Math.cos(place.x)
    const y = (normal + height) * cos * Math.sin(place.x)
    const z = (normal * (1 - e2) + height) * sin
    if (isInverse) {
      const u = (x - tx) / scale
      const v = (y - ty) / scale
      const w = (z - tz) / scale
      toGeodetic(place, u + rz * v - ry * w, -rz * u + v + rx * w, ry * u - rx * v + w, to)
    } else {
      const u = tx + scale * (x - rz * y + ry * z)
      const v = ty + scale * (rz * x + y - rx * z)
      const w = tz + scale * (-ry * x + rx * y + z)
      toGeodetic(place, u, v, w, to)
    }
  }
}

/**
 * Converts geocentric coordinates to longitude and latitude: Bowring's formula, iterated until it converges.
 */
function toGeodetic(place: ProjectedPoint, x: number, y: number, z: number, ellipsoid: Ellipsoid): void {
  const { semiMajor: a, eccentricitySquared: e2 } = ellipsoid
  const ratio = Math.sqrt(1 - e2)
  const b = a * ratio
  const p = Math.hypot(x, y)
  let tanReduced = (z * a) / (p * b)
  let latitude = 0
  for (let round = 0; round < 4; round += 1) {
    const cos = 1 / Math.sqrt(1 + tanReduced * tanReduced)
    const sin = tanReduced * cos
    const second = e2 / (1 - e2)
    latitude = Math.atan2(z + second * b * sin * sin * sin, p - e2 * a * cos * cos * cos)
    const next = ratio * Math.tan(latitude)
    if (Math.abs(next - tanReduced) <= 1e-15 * Math.abs(next)) break
    tanReduced = next
  }
  place.x = Math.atan2(y, x)
  place.y = p === 0 ? Math.sign(z) * (Math.PI / 2) : latitude
}
