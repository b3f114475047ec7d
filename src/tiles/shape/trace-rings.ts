import type { SnappedEdges } from './snap-edges.ts'
import { WholeRings } from './whole-rings.ts'

/** Edges with the inside on their left, by their start. */
interface Boundary {
  from: Uint32Array
  to: Uint32Array
  count: number
}

/**
 * Writes to `target` the rings that enclose the union of the polygons of the edges, each by the even-odd
 * rule: outer rings with positive area, each followed by its holes.
 */
export function traceRings(edges: SnappedEdges, target: WholeRings): void {
  const boundary = findBoundary(edges)
  const loose = new WholeRings()
  trace(edges, boundary, loose)
  nest(loose, target)
}

/** Coincident edges of several polygons count once; `edges` are sorted by their ends. */
function findBoundary(edges: SnappedEdges): Boundary {
  const { from, to, count } = edges
  const boundary: Boundary = { from: new Uint32Array(count), to: new Uint32Array(count), count: 0 }
  const beside = new EdgesBeside(edges)
  for (let at = 0; at < count; ) {
    let next = at + 1
    while (next < count && from[next] === from[at] && to[next] === to[at]) next += 1
    beside.locate(at, next)
    if (beside.isInside !== beside.isInsideBeyond) {
      const isForward = beside.isForwardDown === beside.isInside
      boundary.from[boundary.count] = (isForward ? from : to)[at] as number
      boundary.to[boundary.count] = (isForward ? to : from)[at] as number
      boundary.count += 1
    }
    at = next
  }
  return boundary
}

/** Determines which sides of an edge are inside, by counting the edges to the left of its middle. */
class EdgesBeside {
  /**
   * Sides of an edge that are inside a polygon: the side of lesser x (for a horizontal edge that of greater
   * y), and the other one.
   */
  isInside = false
  isInsideBeyond = false
  /** True if that side is on the left when going from the first end to the second. */
  isForwardDown = false
  readonly #edges: SnappedEdges
  readonly #parity: Uint8Array
  readonly #touched: number[] = []
  readonly #height: number
  readonly #starts: Uint32Array
  readonly #listed: Uint32Array

  constructor(edges: SnappedEdges) {
    this.#edges = edges
    let parts = 0
    let tall = 0
    for (let at = 0; at < edges.count; at += 1) {
      parts = Math.max(parts, (edges.part[at] as number) + 1)
      tall += Math.abs(this.#y(edges.to, at) - this.#y(edges.from, at))
    }
    this.#parity = new Uint8Array(parts)
    this.#height = Math.max(1, Math.ceil(tall / Math.max(1, edges.count)))
    const bands = Math.ceil(4400 / this.#height) + 2
    this.#starts = new Uint32Array(bands + 1)
    this.#eachBand((band) => {
      this.#starts[band + 1] = (this.#starts[band + 1] as number) + 1
    })
    for (let band = 1; band <= bands; band += 1) {
      this.#starts[band] = (this.#starts[band] as number) + (this.#starts[band - 1] as number)
    }
    this.#listed = new Uint32Array(this.#starts[bands] as number)
    const filled = this.#starts.slice()
    this.#eachBand((band, edge) => {
      this.#listed[filled[band] as number] = edge
      filled[band] = (filled[band] as number) + 1
    })
  }

  locate(first: number, next: number): void {
    const { from, to, xs, ys, part } = this.#edges
    const [a, b] = [from[first] as number, to[first] as number]
    const x = ((xs[a] as number) + (xs[b] as number)) / 2
    const y = ((ys[a] as number) + (ys[b] as number)) / 2
    const band = this.#band(y)
    let inside = 0
    for (let at = this.#starts[band] as number; at < (this.#starts[band + 1] as number); at += 1) {
      const edge = this.#listed[at] as number
      if ((edge < first || edge >= next) && this.#isLeftOf(edge, x, y))
        inside += this.#toggle(part[edge] as number)
    }
    this.isInside = inside > 0
    for (let edge = first; edge < next; edge += 1) inside += this.#toggle(part[edge] as number)
    this.isInsideBeyond = inside > 0
    for (const toggled of this.#touched) this.#parity[toggled] = 0
    this.#touched.length = 0
    const rise = (ys[b] as number) - (ys[a] as number)
    this.isForwardDown = rise === 0 ? (xs[b] as number) > (xs[a] as number) : rise > 0
  }

  /** Returns the change in the number of polygons that contain a location. */
  #toggle(part: number): number {
    this.#touched.push(part)
    this.#parity[part] = (this.#parity[part] as number) ^ 1
    return this.#parity[part] === 1 ? 1 : -1
  }

  #isLeftOf(edge: number, x: number, y: number): boolean {
    const { from, to, xs, ys } = this.#edges
    let [low, high] = [from[edge] as number, to[edge] as number]
    if ((ys[low] as number) > (ys[high] as number)) [low, high] = [high, low]
    const y0 = ys[low] as number
    const y1 = ys[high] as number
    if (y < y0 || y >= y1) return false
    const x0 = xs[low] as number
    return (x - x0) * (y1 - y0) - (y - y0) * ((xs[high] as number) - x0) > 0
  }

  #y(ends: Uint32Array, edge: number): number {
    return this.#edges.ys[ends[edge] as number] as number
  }

  #band(y: number): number {
    return Math.floor((y + 80) / this.#height)
  }

  #eachBand(visit: (band: number, edge: number) => void): void {
    const { from, to, count } = this.#edges
    for (let edge = 0; edge < count; edge += 1) {
      const [a, b] = [this.#y(from, edge), this.#y(to, edge)]
      if (a === b) continue
      const last = this.#band(Math.max(a, b))
      for (let band = this.#band(Math.min(a, b)); band <= last; band += 1) visit(band, edge)
    }
  }
}

/** Follows the edges around the inside; a ring ends when the path returns to a visited vertex. */
function trace({ xs, ys }: SnappedEdges, boundary: Boundary, target: WholeRings): void {
  const { from, to, count } = boundary
  const starts = new Uint32Array(xs.length + 1)
  for (let edge = 0; edge < count; edge += 1) {
    const at = (from[edge] as number) + 1
    starts[at] = (starts[at] as number) + 1
  }
  for (let at = 1; at < starts.length; at += 1)
    starts[at] = (starts[at] as number) + (starts[at - 1] as number)
  const leaving = new Uint32Array(count)
  const filled = starts.slice()
  for (let edge = 0; edge < count; edge += 1) {
    const corner = from[edge] as number
    leaving[filled[corner] as number] = edge
    filled[corner] = (filled[corner] as number) + 1
  }
  const isUsed = new Uint8Array(count)
  const placeOf = new Int32Array(xs.length).fill(-1)
  const way: number[] = []

  const nextEdge = (edge: number): number => {
    const corner = to[edge] as number
    const backX = (xs[from[edge] as number] as number) - (xs[corner] as number)
    const backY = (ys[from[edge] as number] as number) - (ys[corner] as number)
    let found = -1
    let least = Number.POSITIVE_INFINITY
    for (let at = starts[corner] as number; at < (starts[corner + 1] as number); at += 1) {
      const candidate = leaving[at] as number
      if (isUsed[candidate] === 1) continue
      const dx = (xs[to[candidate] as number] as number) - (xs[corner] as number)
      const dy = (ys[to[candidate] as number] as number) - (ys[corner] as number)
      const angle = Math.atan2(dx * backY - dy * backX, backX * dx + backY * dy)
      const turned = angle <= 0 ? angle + 2 * Math.PI : angle
      if (turned >= least) continue
      least = turned
      found = candidate
    }
    return found
  }

  const closeRing = (index: number): void => {
    target.reserve(way.length - index)
    for (let at = index; at < way.length; at += 1) {
      const corner = way[at] as number
      target.add(xs[corner] as number, ys[corner] as number)
      placeOf[corner] = -1
    }
    target.endRing(0)
    way.length = index
  }

  for (let first = 0; first < count; first += 1) {
    for (let edge = isUsed[first] === 1 ? -1 : first; edge >= 0; edge = nextEdge(edge)) {
      isUsed[edge] = 1
      const corner = from[edge] as number
      const index = placeOf[corner] as number
      if (index >= 0) closeRing(index)
      placeOf[corner] = way.length
      way.push(corner)
    }
    if (way.length > 0) closeRing(0)
  }
}

/** Moves each hole behind the smallest outer ring that contains it. */
export function nest(loose: WholeRings, target: WholeRings): void {
  const all = Array.from({ length: loose.count }, (_, ring) => ring)
  const outers = all
    .filter((ring) => (loose.areas[ring] as number) > 0)
    .sort((a, b) => (loose.areas[a] as number) - (loose.areas[b] as number))
  const holes = new Map<number, number[]>()
  for (const ring of all) {
    if ((loose.areas[ring] as number) > 0) continue
    const outer = outers.length === 1 ? outers[0] : outers.find((one) => holdsRing(loose, one, ring))
    if (outer !== undefined) holes.set(outer, [...(holes.get(outer) ?? []), ring])
  }
  target.clear()
  target.reserve(loose.length)
  let part = 0
  for (const outer of outers.sort((a, b) => a - b)) {
    for (const ring of [outer, ...(holes.get(outer) ?? [])]) copyRing(loose, ring, target, part)
    part += 1
  }
}

function copyRing(source: WholeRings, ring: number, target: WholeRings, part: number): void {
  for (let at = source.start(ring); at < (source.ends[ring] as number); at += 1) {
    target.add(source.xs[at] as number, source.ys[at] as number)
  }
  target.endRing(part)
}

/** Fraction of an edge at which there is never an integer position. */
const unevenShare = 0.381966011

/**
 * True if a location on the first edge of a ring is inside another; the rings only meet at integer positions.
 */
function holdsRing(rings: WholeRings, outer: number, inner: number): boolean {
  const { xs, ys } = rings
  const at = rings.start(inner)
  if (-(rings.areas[inner] as number) > (rings.areas[outer] as number)) return false
  const x = (xs[at] as number) + ((xs[at + 1] as number) - (xs[at] as number)) * unevenShare
  const y = (ys[at] as number) + ((ys[at + 1] as number) - (ys[at] as number)) * unevenShare
  const end = rings.ends[outer] as number
  let isIn = false
  let before = end - 1
  for (let next = rings.start(outer); next < end; next += 1) {
    const [y0, y1] = [ys[before] as number, ys[next] as number]
    if (y0 > y !== y1 > y) {
      const x0 = xs[before] as number
      const across = ((xs[next] as number) - x0) * (y - y0) - (x - x0) * (y1 - y0)
      if (across > 0 === y1 > y0) isIn = !isIn
    }
    before = next
  }
  return isIn
}
