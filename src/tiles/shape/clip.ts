import type { Paths } from './paths.ts'

/** The visible part of geometries. */
export interface ClipBox {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/** Appends the parts of a line within a box, each as a path. `shift` is added to x. */
export function clipLine(source: Paths, path: number, shift: number, box: ClipBox, target: Paths): void {
  const { xs, ys } = source
  const end = source.ends[path] as number
  let at = source.start(path)
  let fromX = (xs[at] as number) + shift
  let fromY = ys[at] as number
  const part = source.parts[path] as number
  for (at += 1; at < end; at += 1) {
    const x = (xs[at] as number) + shift
    const y = ys[at] as number
    if (clipSegment(fromX, fromY, x, y, box)) {
      if (target.length === target.openStart) target.add(cut.fromX, cut.fromY)
      target.add(cut.toX, cut.toY)
      if (cut.isCutAtEnd) endLine(target, part)
    } else endLine(target, part)
    fromX = x
    fromY = y
  }
  endLine(target, part)
}

function endLine(target: Paths, part: number): void {
  if (target.length > target.openStart) target.endPath(part)
}

/** Result of `clipSegment`. */
const cut = { fromX: 0, fromY: 0, toX: 0, toY: 0, isCutAtEnd: false }

/** Liang-Barsky clipping: true if part of a segment is in the box; `cut` contains that part. */
function clipSegment(ax: number, ay: number, bx: number, by: number, box: ClipBox): boolean {
  const { minX, minY, maxX, maxY } = box
  cut.isCutAtEnd = false
  if (
    ax >= minX &&
    ax <= maxX &&
    ay >= minY &&
    ay <= maxY &&
    bx >= minX &&
    bx <= maxX &&
    by >= minY &&
    by <= maxY
  ) {
    cut.fromX = ax
    cut.fromY = ay
    cut.toX = bx
    cut.toY = by
    return true
  }
  const dx = bx - ax
  const dy = by - ay
  let enter = 0
  let leave = 1
  for (let side = 0; side < 4; side += 1) {
    const step = side === 0 ? -dx : side === 1 ? dx : side === 2 ? -dy : dy
    const room = side === 0 ? ax - minX : side === 1 ? maxX - ax : side === 2 ? ay - minY : maxY - ay
    if (step === 0) {
      if (room < 0) return false
      continue
    }
    const at = room / step
    if (step < 0 && at > enter) enter = at
    else if (step > 0 && at < leave) leave = at
  }
  if (enter > leave) return false
  cut.fromX = enter === 0 ? ax : within(ax + enter * dx, minX, maxX)
  cut.fromY = enter === 0 ? ay : within(ay + enter * dy, minY, maxY)
  cut.toX = leave === 1 ? bx : within(ax + leave * dx, minX, maxX)
  cut.toY = leave === 1 ? by : within(ay + leave * dy, minY, maxY)
  cut.isCutAtEnd = leave < 1
  return true
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}

let [heldX, heldY] = [new Float64Array(1024), new Float64Array(1024)]
let [nextX, nextY] = [new Float64Array(1024), new Float64Array(1024)]

function reserve(positions: number): void {
  if (positions <= heldX.length) return
  const size = Math.max(positions, heldX.length * 2)
  heldX = grown(heldX, size)
  heldY = grown(heldY, size)
  nextX = grown(nextX, size)
  nextY = grown(nextY, size)
}

function grown(values: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(size)
  larger.set(values)
  return larger
}

/**
 * Appends the part of a closed ring within a box, by Sutherland-Hodgman: parts that the box divides remain
 * connected along its edge. `shift` is added to x. Removes the repeated first position of rings.
 */
export function clipRing(source: Paths, path: number, shift: number, box: ClipBox, target: Paths): void {
  const start = source.start(path)
  const end = source.ends[path] as number
  let count = end - start
  reserve(count * 2 + 8)
  for (let at = 0; at < count; at += 1) {
    heldX[at] = (source.xs[start + at] as number) + shift
    heldY[at] = source.ys[start + at] as number
  }
  if (box.minX > Number.NEGATIVE_INFINITY) {
    count = cutByX(count, box.minX, 1)
    count = cutByX(count, box.maxX, -1)
  }
  count = cutByY(count, box.minY, 1)
  count = cutByY(count, box.maxY, -1)
  if (count < 3) return
  target.reserve(count)
  target.xs.set(heldX.subarray(0, count), target.length)
  target.ys.set(heldY.subarray(0, count), target.length)
  target.length += count
  target.endPath(source.parts[path] as number)
}

/** Clips at a line of constant x: retains the part above for 1, below for -1. */
function cutByX(count: number, limit: number, side: 1 | -1): number {
  if (count === 0) return 0
  reserve(count * 2 + 8)
  let kept = 0
  let fromX = heldX[count - 1] as number
  let fromY = heldY[count - 1] as number
  let wasIn = (fromX - limit) * side >= 0
  for (let at = 0; at < count; at += 1) {
    const x = heldX[at] as number
    const y = heldY[at] as number
    const isIn = (x - limit) * side >= 0
    if (isIn !== wasIn) {
      nextX[kept] = limit
      nextY[kept] = fromY + ((limit - fromX) / (x - fromX)) * (y - fromY)
      kept += 1
    }
    if (isIn) {
      nextX[kept] = x
      nextY[kept] = y
      kept += 1
    }
    fromX = x
    fromY = y
    wasIn = isIn
  }
  swap()
  return kept
}

function cutByY(count: number, limit: number, side: 1 | -1): number {
  if (count === 0) return 0
  reserve(count * 2 + 8)
  let kept = 0
  let fromX = heldX[count - 1] as number
  let fromY = heldY[count - 1] as number
  let wasIn = (fromY - limit) * side >= 0
  for (let at = 0; at < count; at += 1) {
    const x = heldX[at] as number
    const y = heldY[at] as number
    const isIn = (y - limit) * side >= 0
    if (isIn !== wasIn) {
      nextX[kept] = fromX + ((limit - fromY) / (y - fromY)) * (x - fromX)
      nextY[kept] = limit
      kept += 1
    }
    if (isIn) {
      nextX[kept] = x
      nextY[kept] = y
      kept += 1
    }
    fromX = x
    fromY = y
    wasIn = isIn
  }
  swap()
  return kept
}

function swap(): void {
  const [x, y] = [heldX, heldY]
  heldX = nextX
  heldY = nextY
  nextX = x
  nextY = y
}
