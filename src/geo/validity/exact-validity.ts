import type { Coordinate, JtsPolygon } from './jts.ts'
import { jts, jtsFactory } from './jts.ts'
import { PolygonRings } from './polygon-rings.ts'

/** Why a polygon is invalid, and where in its CRS, as far as that is known. */
export interface Invalidity {
  reason: string
  x?: number
  y?: number
}

function coordinatesOf(rings: PolygonRings, ring: number): Coordinate[] {
  const coordinates: Coordinate[] = []
  const end = rings.ringStarts[ring + 1] as number
  for (let at = rings.ringStarts[ring] as number; at < end; at += 1) {
    coordinates.push(new jts.Coordinate(rings.xs[at] as number, rings.ys[at] as number))
  }
  return coordinates
}

function toPolygon(rings: PolygonRings, polygon: number): JtsPolygon {
  const start = rings.polygonStarts[polygon] as number
  const end = rings.polygonStarts[polygon + 1] as number
  const linear = Array.from({ length: end - start }, (_, index) =>
    jtsFactory.createLinearRing(coordinatesOf(rings, start + index)),
  )
  const [shell, ...holes] = linear
  return shell === undefined ? jtsFactory.createPolygon() : jtsFactory.createPolygon(shell, holes)
}

/**
 * Tests the polygon or multipolygon at `offset` of well-formed little-endian ISO WKB exactly, by the rules of
 * OGC 06-103r4 section 6.1.11.1 as implemented in JTS; undefined for a valid one. The time grows faster than
 * the number of points.
 */
export function findInvalidity(view: DataView, offset: number): Invalidity | undefined {
  const rings = new PolygonRings()
  if (!rings.read(view, offset)) return { reason: 'A ring is not closed or has fewer than four points' }
  const polygons = Array.from({ length: rings.polygonCount }, (_, polygon) => toPolygon(rings, polygon))
  const [only] = polygons
  const geometry =
    polygons.length === 1 && only !== undefined ? only : jtsFactory.createMultiPolygon(polygons)
  const error = new jts.IsValidOp(geometry).getValidationError()
  if (error === null) return undefined
  const { x, y } = error.getCoordinate() ?? {}
  return { reason: error.getMessage(), ...(x === undefined ? {} : { x, y: Number(y) }) }
}
