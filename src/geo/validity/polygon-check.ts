import { sideOf } from './orientation.ts'
import { PolygonRings } from './polygon-rings.ts'
import { SegmentPairs } from './segment-pairs.ts'

/**
 * Quick validity test of polygons (OGC 06-103r4 section 6.1.11.1): returns true only if no rings meet, which
 * is nearly always the case. Rings that touch, and cases undecided by rounding, need the exact test. Not
 * thread-safe.
 */
export class PolygonCheck {
  readonly #rings = new PolygonRings()
  readonly #pairs = new SegmentPairs()

  /** True when the polygon or multipolygon at `offset` of well-formed little-endian ISO WKB is valid for certain. */
  isSurelyValid(view: DataView, offset: number): boolean {
    const rings = this.#rings
    if (!rings.read(view, offset)) return false
    if (rings.ringCount === 1 && isStarShaped(rings, 0)) return true
    if (!this.#pairs.areApart(rings)) return false
    return rings.ringCount === 1 || (holesAreInside(rings) && polygonsAreApart(rings))
  }

  /** Number of points of the last polygon, without repeated ones. */
  get pointCount(): number {
    return this.#rings.pointCount
  }
}

/** True for a ring that goes once round the mean of its points without turning back: it cannot meet itself. */
function isStarShaped({ xs, ys, ringStarts }: PolygonRings, ring: number): boolean {
  const first = ringStarts[ring] as number
  const last = (ringStarts[ring + 1] as number) - 1
  let x = 0
  let y = 0
  for (let at = first; at < last; at += 1) {
    x += xs[at] as number
    y += ys[at] as number
  }
  x /= last - first
  y /= last - first
  let turn = 0
  let rounds = 0
  for (let at = first; at < last; at += 1) {
    const ay = ys[at] as number
    const by = ys[at + 1] as number
    const side = sideOf(x, y, xs[at] as number, ay, xs[at + 1] as number, by)
    if (side === 0 || (turn !== 0 && side !== turn)) return false
    turn = side
    if (ay <= y && by > y) rounds += 1
  }
  return rounds === 1
}

/** True if a point that is not on a ring is inside it; undefined if rounding leaves it undecided. */
function isInside(rings: PolygonRings, ring: number, x: number, y: number): boolean | undefined {
  const { xs, ys, ringStarts } = rings
  const last = (ringStarts[ring + 1] as number) - 1
  let inside = false
  for (let at = ringStarts[ring] as number; at < last; at += 1) {
    const ay = ys[at] as number
    const by = ys[at + 1] as number
    if (ay > y === by > y) continue
    const side = sideOf(xs[at] as number, ay, xs[at + 1] as number, by, x, y)
    if (side === 0) return undefined
    if (side > 0 === by > ay) inside = !inside
  }
  return inside
}

function startsInside(rings: PolygonRings, inner: number, outer: number): boolean | undefined {
  const first = rings.ringStarts[inner] as number
  return isInside(rings, outer, rings.xs[first] as number, rings.ys[first] as number)
}

function holesAreInside(rings: PolygonRings): boolean {
  for (let polygon = 0; polygon < rings.polygonCount; polygon += 1) {
    const shell = rings.polygonStarts[polygon] as number
    const end = rings.polygonStarts[polygon + 1] as number
    for (let hole = shell + 1; hole < end; hole += 1) {
      if (startsInside(rings, hole, shell) !== true) return false
    }
    if (end - shell > 2 && !ringsAreApart(rings, shell + 1, end)) return false
  }
  return true
}

interface Box {
  ring: number
  polygon: number
  minX: number
  maxX: number
  minY: number
  maxY: number
}

function boxOf({ xs, ys, ringStarts }: PolygonRings, ring: number, polygon: number): Box {
  const box = {
    ring,
    polygon,
    minX: Number.POSITIVE_INFINITY,
    maxX: Number.NEGATIVE_INFINITY,
    minY: Number.POSITIVE_INFINITY,
    maxY: Number.NEGATIVE_INFINITY,
  }
  const end = ringStarts[ring + 1] as number
  for (let at = ringStarts[ring] as number; at < end; at += 1) {
    const x = xs[at] as number
    const y = ys[at] as number
    if (x < box.minX) box.minX = x
    if (x > box.maxX) box.maxX = x
    if (y < box.minY) box.minY = y
    if (y > box.maxY) box.maxY = y
  }
  return box
}

/**
 * Calls `test` for every two boxes of which one contains the other, the inner first; returns false as soon as
 * `test` does.
 */
function everyNested(boxes: Box[], test: (inner: Box, outer: Box) => boolean): boolean {
  boxes.sort((a, b) => a.minX - b.minX)
  for (const [index, a] of boxes.entries()) {
    for (let at = index + 1; at < boxes.length; at += 1) {
      const b = boxes[at] as Box
      if (b.minX > a.maxX) break
      if (isWithin(b, a) && !test(b, a)) return false
      if (isWithin(a, b) && !test(a, b)) return false
    }
  }
  return true
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.minX >= outer.minX &&
    inner.maxX <= outer.maxX &&
    inner.minY >= outer.minY &&
    inner.maxY <= outer.maxY
  )
}

function ringsAreApart(rings: PolygonRings, from: number, to: number): boolean {
  const boxes: Box[] = []
  for (let ring = from; ring < to; ring += 1) boxes.push(boxOf(rings, ring, 0))
  return everyNested(boxes, (inner, outer) => startsInside(rings, inner.ring, outer.ring) === false)
}

/** True if no polygon is inside another, except in a hole of it. */
function polygonsAreApart(rings: PolygonRings): boolean {
  if (rings.polygonCount < 2) return true
  const shells: Box[] = []
  for (let polygon = 0; polygon < rings.polygonCount; polygon += 1) {
    const shell = rings.polygonStarts[polygon] as number
    if (shell < (rings.polygonStarts[polygon + 1] as number)) shells.push(boxOf(rings, shell, polygon))
  }
  return everyNested(shells, (inner, outer) => {
    const inside = startsInside(rings, inner.ring, outer.ring)
    if (inside !== true) return inside === false
    const end = rings.polygonStarts[outer.polygon + 1] as number
    for (let hole = outer.ring + 1; hole < end; hole += 1) {
      if (startsInside(rings, inner.ring, hole) === true) return true
    }
    return false
  })
}
