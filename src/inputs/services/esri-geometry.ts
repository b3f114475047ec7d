import type { Json } from './read-features.ts'
import { serviceFailure } from './service-client.ts'

type Position = number[]
type Ring = Position[]

/** Converts a geometry of the ArcGIS REST API to GeoJSON; null if it is empty. */
export function geometryOfEsri(geometry: Json): Json | null {
  const { x, y, z, points, paths, rings } = geometry
  if ('curvePaths' in geometry || 'curveRings' in geometry)
    throw serviceFailure('The service sends curves, which are not read')
  if (Array.isArray(rings)) return polygon(rings as Ring[])
  if (Array.isArray(paths)) return lines(paths as Ring[])
  if (Array.isArray(points)) return points.length === 0 ? null : { type: 'MultiPoint', coordinates: points }
  if (typeof x !== 'number' || typeof y !== 'number') return null
  return { type: 'Point', coordinates: typeof z === 'number' ? [x, y, z] : [x, y] }
}

function lines(paths: Ring[]): Json | null {
  const [first, ...others] = paths
  if (first === undefined) return null
  return others.length === 0
    ? { type: 'LineString', coordinates: first }
    : { type: 'MultiLineString', coordinates: paths }
}

/**
 * Converts rings to a polygon: outer rings are clockwise, and a counterclockwise ring is a hole of the
 * enclosing ring.
 */
function polygon(rings: Ring[]): Json | null {
  const outer = rings.filter((ring) => areaOf(ring) <= 0)
  const holes = rings.filter((ring) => areaOf(ring) > 0)
  const polygons = outer.map((ring) => [ring])
  for (const hole of holes) {
    const [point] = hole
    const around = polygons
      .filter(([ring]) => point !== undefined && ring !== undefined && contains(ring, point))
      .sort(([one = []], [other = []]) => Math.abs(areaOf(one)) - Math.abs(areaOf(other)))
    // A hole without an enclosing ring is an outer ring with the wrong orientation.
    if (around[0] === undefined) polygons.push([hole])
    else around[0].push(hole)
  }
  if (polygons.length === 0) return null
  const [only] = polygons
  return polygons.length === 1 && only !== undefined
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygons }
}

/** Returns twice the signed area: negative for a clockwise ring. */
function areaOf(ring: Ring): number {
  let sum = 0
  for (let index = 0; index < ring.length; index += 1) {
    const [x1 = 0, y1 = 0] = ring[index] ?? []
    const [x2 = 0, y2 = 0] = ring[(index + 1) % ring.length] ?? []
    sum += x1 * y2 - x2 * y1
  }
  return sum
}

function contains(ring: Ring, [x = 0, y = 0]: Position): boolean {
  let isInside = false
  for (let index = 0, before = ring.length - 1; index < ring.length; before = index, index += 1) {
    const [x1 = 0, y1 = 0] = ring[index] ?? []
    const [x2 = 0, y2 = 0] = ring[before] ?? []
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
  }
  return isInside
}
