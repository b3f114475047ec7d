import type { Coordinate, JtsGeometry, JtsPolygon, JtsRing } from './jts.ts'
import { jts, jtsFactory } from './jts.ts'

/** Rings of polygons as flat positions x, y; the shell first. */
export type PositionRings = Float64Array[][]

/** Closed, without repeated positions; undefined for a ring without area. */
function cleanRing(positions: Float64Array): Coordinate[] | undefined {
  const coordinates: Coordinate[] = []
  for (let at = 0; at < positions.length; at += 2) {
    const x = positions[at] as number
    const y = positions[at + 1] as number
    const last = coordinates.at(-1)
    if (last === undefined || last.x !== x || last.y !== y) coordinates.push(new jts.Coordinate(x, y))
  }
  const [first] = coordinates
  const last = coordinates.at(-1)
  if (first !== undefined && last !== undefined && (first.x !== last.x || first.y !== last.y)) {
    coordinates.push(new jts.Coordinate(first.x, first.y))
  }
  return coordinates.length < 4 ? undefined : coordinates
}

/** True if a ring winds around a point an odd number of times. */
function isRoundedOddly(ring: Coordinate[], x: number, y: number): boolean {
  let odd = false
  for (let at = 1; at < ring.length; at += 1) {
    const a = ring[at - 1] as Coordinate
    const b = ring[at] as Coordinate
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) odd = !odd
  }
  return odd
}

function polygonsOf(geometry: JtsGeometry): JtsPolygon[] {
  const found: JtsPolygon[] = []
  for (let index = 0; index < geometry.getNumGeometries(); index += 1) {
    const part = geometry.getGeometryN(index)
    if (part.getGeometryType() === 'Polygon' && !part.isEmpty()) found.push(part as JtsPolygon)
  }
  return found
}

function union(polygons: JtsPolygon[]): JtsGeometry {
  const [only] = polygons
  if (polygons.length === 1 && only !== undefined) return only
  const all = jtsFactory.createMultiPolygon(polygons)
  try {
    return jts.UnaryUnionOp.union(all)
  } catch {
    return jts.BufferOp.bufferOp(all, 0)
  }
}

/** Returns the area around which a ring winds an odd number of times. */
function areaOf(ring: Coordinate[]): JtsGeometry {
  const polygonizer = new jts.Polygonizer()
  polygonizer.add(jts.UnaryUnionOp.union(jtsFactory.createLineString(ring)))
  const faces: JtsPolygon[] = []
  for (const face of polygonizer.getPolygons().toArray()) {
    const { x, y } = jts.InteriorPointArea.getInteriorPoint(face)
    if (isRoundedOddly(ring, x, y)) faces.push(face)
  }
  return union(faces)
}

function areaOfPolygon(rings: Float64Array[]): JtsGeometry {
  const [shell, ...holes] = rings.map(cleanRing)
  if (shell === undefined) return jtsFactory.createPolygon()
  const area = areaOf(shell)
  const open = holes.filter((hole) => hole !== undefined).flatMap((hole) => polygonsOf(areaOf(hole)))
  return open.length === 0 ? area : jts.OverlayOp.difference(area, union(open))
}

function positionsOf(ring: JtsRing): Float64Array {
  return Float64Array.from(ring.getCoordinates().flatMap(({ x, y }) => [x, y]))
}

function ringsOf(polygon: JtsPolygon): Float64Array[] {
  const holes = Array.from({ length: polygon.getNumInteriorRing() }, (_, index) =>
    positionsOf(polygon.getInteriorRingN(index)),
  )
  return [positionsOf(polygon.getExteriorRing()), ...holes]
}

function isSound(geometry: JtsGeometry): boolean {
  return !geometry.isEmpty() && new jts.IsValidOp(geometry).isValid()
}

/**
 * Returns valid polygons for invalid ones: a shell's area is where it winds an odd number of times, its holes
 * are cut out, and overlapping polygons are merged. Undefined if no area remains.
 */
export function repairPolygons(polygons: PositionRings): PositionRings | undefined {
  let area: JtsGeometry
  try {
    area = union(polygons.flatMap((rings) => polygonsOf(areaOfPolygon(rings))))
  } catch {
    return undefined
  }
  const sound = isSound(area) ? area : jts.BufferOp.bufferOp(area, 0)
  return isSound(sound) ? polygonsOf(sound).map(ringsOf) : undefined
}
