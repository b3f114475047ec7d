import type { EnvelopeRelation } from './area-test.ts'
import { AreaTest, isRightOf } from './area-test.ts'
import type { Envelope } from './envelope.ts'
import { envelopeOfPlaces } from './envelope.ts'
import { exactSideOf } from './validity/orientation.ts'
import { BoxTest, isInBox } from './wkb-touches.ts'

const maxStrips = 1024

/**
 * Tests whether geometries share a point with one polygon; see `AreaTest`. Edges are sorted into horizontal
 * strips, so that the cost per row hardly grows with their number.
 */
export class PolygonTest extends AreaTest {
  /** x and y of both ends of each edge. */
  readonly #edges: Float64Array
  readonly #envelope: Envelope
  /** Indices of edges by strip; `#starts` has the first index of each strip. */
  readonly #strips: Uint32Array
  readonly #starts: Uint32Array
  readonly #perHeight: number

  /** Rings with x and y in sequence, the first and the last vertex equal; at least one ring. */
  constructor(rings: readonly Float64Array[]) {
    super()
    this.#edges = edgesOf(rings)
    this.#envelope = envelopeOfPlaces(this.#edges)
    const count = this.#edges.length / 4
    const strips = Math.max(1, Math.min(maxStrips, count))
    const height = this.#envelope.maxY - this.#envelope.minY
    this.#perHeight = height > 0 ? strips / height : 0
    this.#starts = new Uint32Array(strips + 1)
    this.#eachStrip((strip) => {
      this.#starts[strip + 1] = (this.#starts[strip + 1] as number) + 1
    })
    for (let strip = 0; strip < strips; strip += 1)
      this.#starts[strip + 1] = (this.#starts[strip + 1] as number) + (this.#starts[strip] as number)
    const next = this.#starts.slice()
    this.#strips = new Uint32Array(this.#starts[strips] as number)
    this.#eachStrip((strip, edge) => {
      this.#strips[next[strip] as number] = edge
      next[strip] = (next[strip] as number) + 1
    })
  }

  #eachStrip(visit: (strip: number, edge: number) => void): void {
    for (let edge = 0; edge < this.#edges.length; edge += 4) {
      const [from, to] = [this.#edges[edge + 1] as number, this.#edges[edge + 3] as number]
      const last = this.#stripAt(Math.max(from, to))
      for (let strip = this.#stripAt(Math.min(from, to)); strip <= last; strip += 1) visit(strip, edge)
    }
  }

  /** Returns the strip of a height within the polygon's range. */
  #stripAt(y: number): number {
    const strip = Math.floor((y - this.#envelope.minY) * this.#perHeight)
    return Math.max(0, Math.min(this.#starts.length - 2, strip))
  }

  override relationTo(minX: number, minY: number, maxX: number, maxY: number): EnvelopeRelation {
    const all = this.#envelope
    if (!(maxX >= all.minX && minX <= all.maxX && maxY >= all.minY && minY <= all.maxY)) return 'apart'
    const box = { minX, minY, maxX, maxY }
    const last = this.#stripAt(Math.min(maxY, all.maxY))
    for (let strip = this.#stripAt(Math.max(minY, all.minY)); strip <= last; strip += 1)
      for (let at = this.#starts[strip] as number; at < (this.#starts[strip + 1] as number); at += 1) {
        const edge = this.#strips[at] as number
        const [ax, ay] = [this.#edges[edge] as number, this.#edges[edge + 1] as number]
        const [bx, by] = [this.#edges[edge + 2] as number, this.#edges[edge + 3] as number]
        if (isInBox(ax, ay, bx, by, box)) return 'across'
      }
    return this.#holds(minX, minY) ? 'within' : 'apart'
  }

  protected override walk(count: number, isRing: boolean): boolean {
    const { view, isLittle, stride } = this
    const [cornerX, cornerY] = [this.#edges[0] as number, this.#edges[1] as number]
    const stop = this.at + count * stride
    const last = isRing && count > 0 ? stop - stride : this.at
    this.isAround = false
    if (count === 0) return false
    let fromX = view.getFloat64(last, isLittle)
    let fromY = view.getFloat64(last + 8, isLittle)
    for (let at = this.at; at < stop; at += stride) {
      const x = view.getFloat64(at, isLittle)
      const y = view.getFloat64(at + 8, isLittle)
      const isPoint = x === fromX && y === fromY
      if (this.#holds(x, y) || (!isPoint && this.#isCut(fromX, fromY, x, y))) return true
      if (isRing && y > cornerY !== fromY > cornerY && isRightOf(fromX, fromY, x, y, cornerX, cornerY))
        this.isAround = !this.isAround
      fromX = x
      fromY = y
    }
    this.at = stop
    return false
  }

  /** True if a point is inside the polygon or on its boundary. */
  #holds(x: number, y: number): boolean {
    const { minX, minY, maxX, maxY } = this.#envelope
    if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) return false
    const strip = this.#stripAt(y)
    let isWithin = false
    for (let at = this.#starts[strip] as number; at < (this.#starts[strip + 1] as number); at += 1) {
      const edge = this.#strips[at] as number
      const ax = this.#edges[edge] as number
      const ay = this.#edges[edge + 1] as number
      const bx = this.#edges[edge + 2] as number
      const by = this.#edges[edge + 3] as number
      if (isWithinSpan(ax, bx, x) && isWithinSpan(ay, by, y) && exactSideOf(ax, ay, bx, by, x, y) === 0)
        return true
      if (ay > y !== by > y && isRightOf(ax, ay, bx, by, x, y)) isWithin = !isWithin
    }
    return isWithin
  }

  /** True if a segment meets the boundary. */
  #isCut(ax: number, ay: number, bx: number, by: number): boolean {
    const { minX, minY, maxX, maxY } = this.#envelope
    const [west, east, south, north] = [
      Math.min(ax, bx),
      Math.max(ax, bx),
      Math.min(ay, by),
      Math.max(ay, by),
    ]
    if (!(east >= minX && west <= maxX && north >= minY && south <= maxY)) return false
    const last = this.#stripAt(Math.min(north, maxY))
    for (let strip = this.#stripAt(Math.max(south, minY)); strip <= last; strip += 1)
      for (let at = this.#starts[strip] as number; at < (this.#starts[strip + 1] as number); at += 1) {
        const edge = this.#strips[at] as number
        const cx = this.#edges[edge] as number
        const cy = this.#edges[edge + 1] as number
        const dx = this.#edges[edge + 2] as number
        const dy = this.#edges[edge + 3] as number
        const isNear =
          Math.max(cx, dx) >= west &&
          Math.min(cx, dx) <= east &&
          Math.max(cy, dy) >= south &&
          Math.min(cy, dy) <= north
        if (isNear && meet(ax, ay, bx, by, cx, cy, dx, dy)) return true
      }
    return false
  }
}

/** True if two segments whose envelopes meet share a point. */
function meet(
  ...[ax, ay, bx, by, cx, cy, dx, dy]: [number, number, number, number, number, number, number, number]
): boolean {
  const ofC = exactSideOf(ax, ay, bx, by, cx, cy)
  const ofD = exactSideOf(ax, ay, bx, by, dx, dy)
  if (ofC !== 0 && ofC === ofD) return false
  const ofA = exactSideOf(cx, cy, dx, dy, ax, ay)
  const ofB = exactSideOf(cx, cy, dx, dy, bx, by)
  // Collinear segments share a point, because their envelopes meet.
  return ofA === 0 || ofA !== ofB
}

function isWithinSpan(a: number, b: number, value: number): boolean {
  return a <= b ? value >= a && value <= b : value >= b && value <= a
}

function edgesOf(rings: readonly Float64Array[]): Float64Array {
  const edges: number[] = []
  for (const ring of rings)
    for (let at = 2; at < ring.length; at += 2)
      edges.push(ring[at - 2] as number, ring[at - 1] as number, ring[at] as number, ring[at + 1] as number)
  return Float64Array.from(edges)
}

/** A box, or the part of it inside an outline. */
export interface Area extends Envelope {
  /** x and y of each vertex in sequence, the first and the last one equal; touches each side of the box. */
  outline?: readonly number[]
}

/** Returns a test for geometries that share a point with the area. */
export function areaTest(area: Area): AreaTest {
  return area.outline === undefined ? new BoxTest(area) : new PolygonTest([Float64Array.from(area.outline)])
}
