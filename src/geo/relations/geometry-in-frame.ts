import { factory, jtsGeometry } from './jts-geometry.ts'
import type { JtsGeometry } from './jts-relations.ts'
import { jtsRelations } from './jts-relations.ts'
import type { Frame } from './repeated-places.ts'

/**
 * Reads a little-endian ISO WKB at `offset` and moves its parts by whole turns into a frame, cut at the limits of
 * the frame and joined where they meet. A geometry that cannot be cut, such as an invalid polygon, is unchanged.
 */
export function geometryInFrame(bytes: Uint8Array, offset: number, frame: Frame): JtsGeometry {
  const geometry = jtsGeometry(bytes, offset)
  const turn = frame.east - frame.west
  const { minX, maxX } = rangeOf(geometry)
  if (geometry.isEmpty() || (minX >= frame.west && maxX <= frame.east)) return geometry
  const copy = (shift: number): JtsGeometry => jtsGeometry(bytes, offset, [1, 1], shift)
  const shift = [-turn, turn].find((one) => minX + one >= frame.west && maxX + one <= frame.east)
  if (shift !== undefined) return copy(shift)
  const window = rectangle(frame, geometry)
  try {
    const [first, ...others] = [copy(-turn), geometry, copy(turn)]
      .map((one) => jtsRelations.OverlayOp.intersection(one, window))
      .map((one) => partsOfDimension(one, geometry.getDimension()))
      .filter((one) => !one.isEmpty())
    return first === undefined
      ? geometry
      : others.reduce((all, one) => jtsRelations.OverlayOp.union(all, one), first)
  } catch {
    return geometry
  }
}

function rangeOf(geometry: JtsGeometry): { minX: number; maxX: number } {
  const envelope = geometry.getEnvelopeInternal()
  return { minX: envelope.getMinX(), maxX: envelope.getMaxX() }
}

function rectangle({ west, east }: Frame, geometry: JtsGeometry): JtsGeometry {
  const envelope = geometry.getEnvelopeInternal()
  const [south, north] = [envelope.getMinY() - 1, envelope.getMaxY() + 1]
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  const ring = corners.map(([x, y]) => new jtsRelations.Coordinate(x as number, y as number))
  return factory.createPolygon(factory.createLinearRing(ring))
}

/** Leaves out where a geometry only touches the limit of the frame. */
function partsOfDimension(geometry: JtsGeometry, dimension: number): JtsGeometry {
  const parts = Array.from({ length: geometry.getNumGeometries() }, (_, at) => geometry.getGeometryN(at))
  const kept = parts.filter((part) => !part.isEmpty() && part.getDimension() === dimension)
  if (kept.length === 1) return kept[0] as JtsGeometry
  if (dimension === 2) return factory.createMultiPolygon(kept)
  return dimension === 1 ? factory.createMultiLineString(kept) : factory.createMultiPoint(kept)
}
