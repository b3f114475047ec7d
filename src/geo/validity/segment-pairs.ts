import { sideOf } from './orientation.ts'
import type { PolygonRings } from './polygon-rings.ts'

/** Up to this many segments all pairs are tested; for more, a grid finds near ones. */
const fewSegments = 24
/** Cells that a segment may cover and pairs that it may take part in, on the average. */
const cellsEach = 8
const pairsEach = 64

/** Finds whether segments of rings meet other than at shared end points. Buffers are reused between calls. */
export class SegmentPairs {
  /** First point of each segment; its second is the next point. */
  #segments = new Uint32Array(1024)
  /** Ring of each segment, to recognize consecutive segments. */
  #ringOf = new Uint32Array(1024)
  #cellStarts = new Uint32Array(1024)
  #cells = new Uint32Array(8192)
  #rings: PolygonRings | undefined

  /** True when no two segments meet; false when some do, or when rounding or effort leaves it open. */
  areApart(rings: PolygonRings): boolean {
    this.#rings = rings
    const count = this.#collect(rings)
    if (!this.#haveNoSpikes(rings)) return false
    return count <= fewSegments ? this.#comparesAll(count) : this.#comparesNear(rings, count)
  }

  #collect(rings: PolygonRings): number {
    if (rings.pointCount > this.#segments.length) {
      this.#segments = new Uint32Array(rings.pointCount * 2)
      this.#ringOf = new Uint32Array(rings.pointCount * 2)
    }
    let count = 0
    for (let ring = 0; ring < rings.ringCount; ring += 1) {
      const last = (rings.ringStarts[ring + 1] as number) - 1
      for (let point = rings.ringStarts[ring] as number; point < last; point += 1) {
        this.#segments[count] = point
        this.#ringOf[count] = ring
        count += 1
      }
    }
    return count
  }

  /** True if no segment runs back over the previous one. */
  #haveNoSpikes({ xs, ys, ringCount, ringStarts }: PolygonRings): boolean {
    for (let ring = 0; ring < ringCount; ring += 1) {
      const first = ringStarts[ring] as number
      const last = (ringStarts[ring + 1] as number) - 1
      let before = last - 1
      for (let at = first; at < last; at += 1) {
        const ax = xs[before] as number
        const ay = ys[before] as number
        const bx = xs[at] as number
        const by = ys[at] as number
        const cx = xs[at + 1] as number
        const cy = ys[at + 1] as number
        before = at
        if (sideOf(ax, ay, bx, by, cx, cy) !== 0) continue
        if ((ax - bx) * (cx - bx) + (ay - by) * (cy - by) > 0) return false
      }
    }
    return true
  }

  #comparesAll(count: number): boolean {
    const { xs } = this.#rings as PolygonRings
    const segments = this.#segments
    for (let a = 0; a < count; a += 1) {
      const p = segments[a] as number
      const least = Math.min(xs[p] as number, xs[p + 1] as number)
      const most = Math.max(xs[p] as number, xs[p + 1] as number)
      for (let b = a + 1; b < count; b += 1) {
        const q = segments[b] as number
        const cx = xs[q] as number
        const dx = xs[q + 1] as number
        if ((cx > most && dx > most) || (cx < least && dx < least)) continue
        if (this.#meet(a, b)) return false
      }
    }
    return true
  }

  #comparesNear(rings: PolygonRings, count: number): boolean {
    const side = Math.min(2048, Math.ceil(Math.sqrt(count)))
    const grid = gridOf(rings, side)
    const starts = this.#startsOf(side * side + 1)
    const covered = this.#cover(grid, count, (cell) => {
      starts[cell + 1] = (starts[cell + 1] as number) + 1
    })
    if (!covered) return false
    for (let cell = 0; cell < side * side; cell += 1) {
      starts[cell + 1] = (starts[cell + 1] as number) + (starts[cell] as number)
    }
    const total = starts[side * side] as number
    if (total > this.#cells.length) this.#cells = new Uint32Array(total * 2)
    const cells = this.#cells
    // Filled from the end of each cell, which leaves the starts shifted to their own cell.
    this.#cover(grid, count, (cell, segment) => {
      starts[cell + 1] = (starts[cell + 1] as number) - 1
      cells[starts[cell + 1] as number] = segment
    })
    return this.#cellsAreApart(side * side, starts, total, count)
  }

  #startsOf(length: number): Uint32Array {
    if (length > this.#cellStarts.length) this.#cellStarts = new Uint32Array(length * 2)
    return this.#cellStarts.fill(0, 0, length)
  }

  /** After filling, the segments of cell c are from `starts[c + 1]` to before `starts[c + 2]`. */
  #cellsAreApart(cellCount: number, starts: Uint32Array, total: number, count: number): boolean {
    const cells = this.#cells
    let effort = pairsEach * count
    for (let cell = 0; cell < cellCount; cell += 1) {
      const from = starts[cell + 1] as number
      const to = cell + 1 < cellCount ? (starts[cell + 2] as number) : total
      effort -= ((to - from) * (to - from - 1)) / 2
      if (effort < 0) return false
      for (let a = from; a < to; a += 1) {
        for (let b = a + 1; b < to; b += 1) {
          if (this.#meet(cells[a] as number, cells[b] as number)) return false
        }
      }
    }
    return true
  }

  /** Calls `visit` for each cell that the box of each segment touches; false when those are too many. */
  #cover(grid: Grid, count: number, visit: (cell: number, segment: number) => void): boolean {
    const { xs, ys } = this.#rings as PolygonRings
    const { minX, minY, scaleX, scaleY, side } = grid
    let left = cellsEach * count
    for (let segment = 0; segment < count; segment += 1) {
      const point = this.#segments[segment] as number
      const column0 = cellAt(Math.min(xs[point] as number, xs[point + 1] as number), minX, scaleX, side)
      const column1 = cellAt(Math.max(xs[point] as number, xs[point + 1] as number), minX, scaleX, side)
      const row0 = cellAt(Math.min(ys[point] as number, ys[point + 1] as number), minY, scaleY, side)
      const row1 = cellAt(Math.max(ys[point] as number, ys[point + 1] as number), minY, scaleY, side)
      left -= (column1 - column0 + 1) * (row1 - row0 + 1)
      if (left < 0) return false
      for (let row = row0; row <= row1; row += 1) {
        for (let column = column0; column <= column1; column += 1) visit(row * side + column, segment)
      }
    }
    return true
  }

  #follow(a: number, b: number): boolean {
    const ring = this.#ringOf[a] as number
    if (ring !== this.#ringOf[b]) return false
    const { ringStarts } = this.#rings as PolygonRings
    const first = Math.min(this.#segments[a] as number, this.#segments[b] as number)
    const second = Math.max(this.#segments[a] as number, this.#segments[b] as number)
    return (
      second - first === 1 || (first === ringStarts[ring] && second === (ringStarts[ring + 1] as number) - 2)
    )
  }

  /** True if two segments meet or may meet; consecutive ones are excluded. */
  #meet(a: number, b: number): boolean {
    const { xs, ys } = this.#rings as PolygonRings
    const p = this.#segments[a] as number
    const q = this.#segments[b] as number
    const ax = xs[p] as number
    const bx = xs[p + 1] as number
    const cx = xs[q] as number
    const dx = xs[q + 1] as number
    if (Math.max(ax, bx) < Math.min(cx, dx) || Math.max(cx, dx) < Math.min(ax, bx)) return false
    const ay = ys[p] as number
    const by = ys[p + 1] as number
    const cy = ys[q] as number
    const dy = ys[q + 1] as number
    if (Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by)) return false
    if (this.#follow(a, b)) return false
    const c = sideOf(ax, ay, bx, by, cx, cy)
    if (c !== 0 && c === sideOf(ax, ay, bx, by, dx, dy)) return false
    const s = sideOf(cx, cy, dx, dy, ax, ay)
    return !(s !== 0 && s === sideOf(cx, cy, dx, dy, bx, by))
  }
}

interface Grid {
  minX: number
  minY: number
  scaleX: number
  scaleY: number
  side: number
}

function cellAt(value: number, least: number, scale: number, side: number): number {
  return Math.min(side - 1, Math.floor((value - least) * scale))
}

function gridOf({ xs, ys, pointCount }: PolygonRings, side: number): Grid {
  let minX = Number.POSITIVE_INFINITY
  let minY = Number.POSITIVE_INFINITY
  let maxX = Number.NEGATIVE_INFINITY
  let maxY = Number.NEGATIVE_INFINITY
  for (let point = 0; point < pointCount; point += 1) {
    const x = xs[point] as number
    const y = ys[point] as number
    if (x < minX) minX = x
    if (x > maxX) maxX = x
    if (y < minY) minY = y
    if (y > maxY) maxY = y
  }
  const scale = (span: number): number => {
    const cells = side / span
    return Number.isFinite(cells) ? cells : 0
  }
  return { minX, minY, scaleX: scale(maxX - minX), scaleY: scale(maxY - minY), side }
}
