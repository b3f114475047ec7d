import type { WholeRings } from './whole-rings.ts'

/** Up to this number of edges every pair of edges is tested; beyond it only edges whose x ranges overlap. */
const fewEdges = 20
/** Maximum number of compared pairs of edges per geometry. */
const maxPairs = 10_000_000
/** Maximum number of rings of one geometry that are compared with each other. */
const fewRings = 64

/**
 * True if rings are valid: no edge meets another one except its neighbors, the first ring of each polygon
 * contains the others, and no other ring contains another. Also false if the check would take long.
 */
export function areSimple(rings: WholeRings): boolean {
  if (rings.count > fewRings) return false
  for (let ring = 0; ring < rings.count; ring += 1) if (rings.areas[ring] === 0) return false
  if (rings.count === 1 && isConvex(rings)) return true
  if (!areApart(rings)) return false
  return rings.count === 1 || areNested(rings)
}

/** True if the single ring is convex: it always turns to the same side, and turns by 360 degrees in total. */
function isConvex({ xs, ys, length }: WholeRings): boolean {
  if (length === 3) return true
  let turns = 0
  let changes = 0
  let beforeX = (xs[0] as number) - (xs[length - 1] as number)
  let beforeY = (ys[0] as number) - (ys[length - 1] as number)
  for (let at = 0; at < length; at += 1) {
    const next = at + 1 === length ? 0 : at + 1
    const dx = (xs[next] as number) - (xs[at] as number)
    const dy = (ys[next] as number) - (ys[at] as number)
    const cross = beforeX * dy - beforeY * dx
    if (cross === 0 || (turns !== 0 && cross > 0 !== turns > 0)) return false
    turns = cross
    if (dx < 0 !== beforeX < 0) changes += 1
    beforeX = dx
    beforeY = dy
  }
  return changes <= 2
}

let edgeX0 = new Int32Array(256)
let edgeY0 = new Int32Array(256)
let edgeX1 = new Int32Array(256)
let edgeY1 = new Int32Array(256)
/** Index of the previous edge in the ring. */
let edgeBefore = new Uint32Array(256)
let order = new Uint32Array(256)

function reserve(count: number): void {
  if (count <= edgeX0.length) return
  const size = count * 2
  edgeX0 = new Int32Array(size)
  edgeY0 = new Int32Array(size)
  edgeX1 = new Int32Array(size)
  edgeY1 = new Int32Array(size)
  edgeBefore = new Uint32Array(size)
  order = new Uint32Array(size)
}

function collect(rings: WholeRings): void {
  const { xs, ys } = rings
  for (let ring = 0; ring < rings.count; ring += 1) {
    const start = rings.start(ring)
    const end = rings.ends[ring] as number
    for (let at = start; at < end; at += 1) {
      const next = at + 1 === end ? start : at + 1
      edgeX0[at] = xs[at] as number
      edgeY0[at] = ys[at] as number
      edgeX1[at] = xs[next] as number
      edgeY1[at] = ys[next] as number
      edgeBefore[at] = at === start ? end - 1 : at - 1
    }
  }
}

function areApart(rings: WholeRings): boolean {
  const count = rings.length
  reserve(count)
  collect(rings)
  if (count > fewEdges) return areApartInOrder(count)
  for (let a = 0; a < count; a += 1) {
    for (let b = a + 1; b < count; b += 1) if (doMeet(a, b)) return false
  }
  return true
}

/** Compares each edge with those that start before it ends, from left to right. */
function areApartInOrder(count: number): boolean {
  sortByLeft(count)
  let rest = maxPairs
  for (let i = 0; i < count; i += 1) {
    const a = order[i] as number
    const right = Math.max(edgeX0[a] as number, edgeX1[a] as number)
    for (let j = i + 1; j < count; j += 1) {
      const b = order[j] as number
      if (Math.min(edgeX0[b] as number, edgeX1[b] as number) > right) break
      rest -= 1
      if (rest < 0 || doMeet(a, b)) return false
    }
  }
  return true
}

const columns = 4300
const columnShift = 70
const starts = new Uint32Array(columns + 1)

/** Counting sort: positions of a tile are within its buffer. */
function sortByLeft(count: number): void {
  starts.fill(0)
  const column = (edge: number): number => {
    const left = Math.min(edgeX0[edge] as number, edgeX1[edge] as number) + columnShift
    return left < 0 ? 0 : left >= columns ? columns - 1 : left
  }
  for (let edge = 0; edge < count; edge += 1) {
    const at = column(edge) + 1
    starts[at] = (starts[at] as number) + 1
  }
  for (let at = 1; at <= columns; at += 1) starts[at] = (starts[at] as number) + (starts[at - 1] as number)
  for (let edge = 0; edge < count; edge += 1) {
    const at = column(edge)
    const to = starts[at] as number
    order[to] = edge
    starts[at] = to + 1
  }
}

/** True if two edges have a point in common other than the vertex at which one follows the other. */
function doMeet(a: number, b: number): boolean {
  const ay0 = edgeY0[a] as number
  const ay1 = edgeY1[a] as number
  const by0 = edgeY0[b] as number
  const by1 = edgeY1[b] as number
  if (ay0 < by0 ? ay1 < by0 && ay0 < by1 && ay1 < by1 : by0 < ay1 && by1 < ay0 && by1 < ay1) return false
  const ax0 = edgeX0[a] as number
  const ax1 = edgeX1[a] as number
  const bx0 = edgeX0[b] as number
  const bx1 = edgeX1[b] as number
  if (ax0 < bx0 ? ax1 < bx0 && ax0 < bx1 && ax1 < bx1 : bx0 < ax1 && bx1 < ax0 && bx1 < ax1) return false
  if (edgeBefore[a] === b || edgeBefore[b] === a) return false
  const adx = ax1 - ax0
  const ady = ay1 - ay0
  const first = adx * (by0 - ay0) - ady * (bx0 - ax0)
  const second = adx * (by1 - ay0) - ady * (bx1 - ax0)
  if ((first > 0 && second > 0) || (first < 0 && second < 0)) return false
  const bdx = bx1 - bx0
  const bdy = by1 - by0
  const third = bdx * (ay0 - by0) - bdy * (ax0 - bx0)
  const fourth = bdx * (ay1 - by0) - bdy * (ax1 - bx0)
  return !((third > 0 && fourth > 0) || (third < 0 && fourth < 0))
}

/**
 * True if the first ring of each polygon contains its others, and no other ring contains any; rings must not
 * meet.
 */
function areNested(rings: WholeRings): boolean {
  for (let ring = 0; ring < rings.count; ring += 1) {
    const part = rings.parts[ring]
    const isOuter = ring === 0 || rings.parts[ring - 1] !== part
    for (let other = 0; other < rings.count; other += 1) {
      if (other === ring) continue
      const isOwn = rings.parts[other] === part
      const isOtherOuter = other === 0 || rings.parts[other - 1] !== rings.parts[other]
      const isMeant = !isOuter && isOwn && isOtherOuter
      if (holds(rings, other, ring) !== isMeant) return false
    }
  }
  return true
}

/** True if the first position of a ring is inside another; the rings must not meet. */
function holds(rings: WholeRings, outer: number, inner: number): boolean {
  const { xs, ys } = rings
  const x = xs[rings.start(inner)] as number
  const y = ys[rings.start(inner)] as number
  const end = rings.ends[outer] as number
  let isIn = false
  let before = end - 1
  for (let at = rings.start(outer); at < end; at += 1) {
    const y0 = ys[before] as number
    const y1 = ys[at] as number
    if (y0 > y !== y1 > y) {
      const x0 = xs[before] as number
      const across = ((xs[at] as number) - x0) * (y - y0) - (x - x0) * (y1 - y0)
      if (across > 0 === y1 > y0) isIn = !isIn
    }
    before = at
  }
  return isIn
}
