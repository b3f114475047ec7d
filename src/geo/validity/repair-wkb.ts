import type { GeometryBuilder } from '../geometry-builder.ts'
import { ExtraOrdinates } from './extra-ordinates.ts'
import type { PositionRings } from './repair-polygon.ts'
import { repairPolygons } from './repair-polygon.ts'

interface Shape {
  hasZ: boolean
  hasM: boolean
  /** Bytes of a position. */
  stride: number
}

function shapeAt(view: DataView, offset: number): Shape {
  const thousands = Math.floor(view.getUint32(offset + 1, true) / 1000)
  const hasZ = thousands === 1 || thousands === 3
  const hasM = thousands >= 2
  return { hasZ, hasM, stride: (2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)) * 8 }
}

interface PolygonPositions {
  polygons: PositionRings
  extra: ExtraOrdinates
}

function readPolygon(view: DataView, offset: number, { stride }: Shape, parts: PolygonPositions): number {
  const count = view.getUint32(offset + 5, true)
  const rings: Float64Array[] = []
  let at = offset + 9
  for (let ring = 0; ring < count; ring += 1) {
    const points = view.getUint32(at, true)
    at += 4
    const positions = new Float64Array(points * 2)
    for (let point = 0; point < points; point += 1) {
      positions[point * 2] = view.getFloat64(at + point * stride, true)
      positions[point * 2 + 1] = view.getFloat64(at + point * stride + 8, true)
    }
    parts.extra.addRing(view, at, points)
    rings.push(positions)
    at += points * stride
  }
  parts.polygons.push(rings)
  return at
}

function readParts(view: DataView, offset: number, shape: Shape): PolygonPositions {
  const parts = { polygons: [], extra: new ExtraOrdinates(shape.stride / 8 - 2) }
  if (view.getUint32(offset + 1, true) % 1000 === 3) {
    readPolygon(view, offset, shape, parts)
    return parts
  }
  const count = view.getUint32(offset + 5, true)
  let at = offset + 9
  for (let part = 0; part < count; part += 1) at = readPolygon(view, at, shape, parts)
  return parts
}

function writePolygon(
  builder: GeometryBuilder,
  rings: Float64Array[],
  { hasZ, hasM }: Shape,
  extra: ExtraOrdinates,
): void {
  builder.header(3, hasZ, hasM)
  builder.count(rings.length)
  for (const ring of rings) {
    builder.count(ring.length / 2)
    for (let at = 0; at < ring.length; at += 2) {
      const x = ring[at] as number
      const y = ring[at + 1] as number
      builder.coordinate(x, y)
      for (const ordinate of extra.at(x, y)) builder.ordinate(ordinate)
    }
  }
}

/**
 * Appends a valid geometry for the invalid polygon or multipolygon at `offset` of little-endian ISO WKB: a
 * polygon remains one if possible. Z and M are preserved, and interpolated at crossings. Returns false, with
 * nothing appended, if no area remains.
 */
export function appendRepaired(builder: GeometryBuilder, view: DataView, offset: number): boolean {
  const shape = shapeAt(view, offset)
  const { polygons, extra } = readParts(view, offset, shape)
  const repaired = repairPolygons(polygons)
  if (repaired === undefined) return false
  const isMulti = view.getUint32(offset + 1, true) % 1000 === 6 || repaired.length > 1
  if (isMulti) {
    builder.header(6, shape.hasZ, shape.hasM)
    builder.count(repaired.length)
  }
  for (const rings of repaired) writePolygon(builder, rings, shape, extra)
  builder.endGeometry()
  return true
}
