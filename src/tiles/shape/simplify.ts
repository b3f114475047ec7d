import type { Paths } from './paths.ts'

/**
 * Tolerance of simplified paths in units. Together with rounding x and y by up to half a unit, everything is
 * drawn within one unit of its true location.
 */
const tolerance = 0.2
/** Positions closer than this to the previous one, in x and y, are considered equal. */
const sameWithin = 0.0625
/** Paths with fewer positions are not simplified. */
const fewPositions = 12
/** Maximum number of comparisons per position; a path that needs more is simplified only partly. */
const effort = 64

let keep = new Uint8Array(1024)
let stack = new Uint32Array(256)

/** Removes positions of the last path of `paths` that a tile cannot show. */
export function simplifyLast(paths: Paths, isRing: boolean): void {
  const from = paths.start(paths.count - 1)
  if (paths.length - from < fewPositions) return
  mergeNear(paths, from)
  const count = paths.length - from
  if (count >= fewPositions) keepFarthest(paths, from, count, isRing)
  paths.ends[paths.count - 1] = paths.length
}

function mergeNear(paths: Paths, from: number): void {
  const { xs, ys, length } = paths
  let to = from + 1
  for (let at = from + 1; at < length; at += 1) {
    const x = xs[at] as number
    const y = ys[at] as number
    const isNear =
      Math.abs(x - (xs[to - 1] as number)) < sameWithin && Math.abs(y - (ys[to - 1] as number)) < sameWithin
    if (isNear && at < length - 1) continue
    xs[to] = x
    ys[to] = y
    to += 1
  }
  paths.length = to
}

/** Douglas-Peucker; a ring is divided at the position farthest from its first one. */
function keepFarthest(paths: Paths, from: number, count: number, isRing: boolean): void {
  const { xs, ys } = paths
  if (keep.length < count) keep = new Uint8Array(count * 2)
  if (stack.length < count * 2 + 2) stack = new Uint32Array(count * 4)
  keep.fill(0, 0, count)
  keep[0] = 1
  keep[count - 1] = 1
  let depth = 0
  const push = (first: number, last: number): void => {
    if (last - first < 2) return
    stack[depth] = first
    stack[depth + 1] = last
    depth += 2
  }
  if (isRing) {
    const middle = farthestFrom(xs, ys, from, count)
    keep[middle] = 1
    push(0, middle)
    push(middle, count - 1)
  } else push(0, count - 1)
  let rest = count * effort
  while (depth > 0) {
    depth -= 2
    const first = stack[depth] as number
    const last = stack[depth + 1] as number
    rest -= last - first
    const found = rest < 0 ? -1 : farthest(xs, ys, from + first, from + last) - from
    if (rest < 0) keep.fill(1, first, last)
    else if (found > first) {
      keep[found] = 1
      push(first, found)
      push(found, last)
    }
  }
  let to = from
  for (let at = 0; at < count; at += 1) {
    if (keep[at] === 0) continue
    xs[to] = xs[from + at] as number
    ys[to] = ys[from + at] as number
    to += 1
  }
  paths.length = to
}

function farthestFrom(xs: Float64Array, ys: Float64Array, from: number, count: number): number {
  let most = -1
  let found = 0
  for (let at = 0; at < count; at += 1) {
    const dx = (xs[from + at] as number) - (xs[from] as number)
    const dy = (ys[from + at] as number) - (ys[from] as number)
    const square = dx * dx + dy * dy
    if (square <= most) continue
    most = square
    found = at
  }
  return found
}

/**
 * Returns the position between two that is farthest from their segment, if beyond the tolerance; otherwise
 * `first`.
 */
function farthest(xs: Float64Array, ys: Float64Array, first: number, last: number): number {
  const ax = xs[first] as number
  const ay = ys[first] as number
  const dx = (xs[last] as number) - ax
  const dy = (ys[last] as number) - ay
  const square = dx * dx + dy * dy
  let most = tolerance * tolerance
  let found = first
  for (let at = first + 1; at < last; at += 1) {
    const px = (xs[at] as number) - ax
    const py = (ys[at] as number) - ay
    const along = px * dx + py * dy
    let distance: number
    if (along <= 0 || square === 0) distance = px * px + py * py
    else if (along >= square) {
      const [qx, qy] = [px - dx, py - dy]
      distance = qx * qx + qy * qy
    } else {
      const across = px * dy - py * dx
      distance = (across * across) / square
    }
    if (distance <= most) continue
    most = distance
    found = at
  }
  return found
}
