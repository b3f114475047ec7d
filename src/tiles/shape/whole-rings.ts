import type { Paths } from './paths.ts'

/** Rings of integers, without repetition of the first position. */
export class WholeRings {
  xs = new Int32Array(128)
  ys = new Int32Array(128)
  length = 0
  ends = new Uint32Array(8)
  /** Polygon index of each ring. */
  parts = new Uint32Array(8)
  /** Twice the area, positive for an outer ring of a tile. */
  areas = new Float64Array(8)
  count = 0

  clear(): void {
    this.length = 0
    this.count = 0
  }

  start(ring: number): number {
    return ring === 0 ? 0 : (this.ends[ring - 1] as number)
  }

  /** Reserves space for positions. */
  reserve(positions: number): void {
    if (this.length + positions <= this.xs.length) return
    const size = Math.max(this.xs.length * 2, this.length + positions)
    const [xs, ys] = [new Int32Array(size), new Int32Array(size)]
    xs.set(this.xs.subarray(0, this.length))
    ys.set(this.ys.subarray(0, this.length))
    this.xs = xs
    this.ys = ys
  }

  /**
   * Adds a position to the current ring. Drops repeated and collinear positions, including spikes, since they
   * enclose nothing.
   */
  add(x: number, y: number): void {
    const { xs, ys } = this
    const from = this.start(this.count)
    let to = this.length
    if (to > from && xs[to - 1] === x && ys[to - 1] === y) return
    while (to - from >= 2 && isInLine(xs, ys, to - 2, to - 1, x, y)) {
      to -= 1
      if (xs[to - 1] === x && ys[to - 1] === y) {
        this.length = to
        return
      }
    }
    xs[to] = x
    ys[to] = y
    this.length = to + 1
  }

  /** Replaces all rings by one box, whose area must not be zero. */
  setToBox(left: number, top: number, right: number, bottom: number): void {
    const { xs, ys } = this
    xs[0] = left
    ys[0] = top
    xs[1] = right
    ys[1] = top
    xs[2] = right
    ys[2] = bottom
    xs[3] = left
    ys[3] = bottom
    this.length = 4
    this.ends[0] = 4
    this.parts[0] = 0
    this.areas[0] = 2 * (right - left) * (bottom - top)
    this.count = 1
  }

  /** Ends the ring. Drops a ring that encloses nothing and returns false. */
  endRing(part: number): boolean {
    const from = this.start(this.count)
    this.#closeInLine(from)
    if (this.length - from < 3) {
      this.length = from
      return false
    }
    if (this.count + 1 >= this.ends.length) this.#growRings()
    this.ends[this.count] = this.length
    this.parts[this.count] = part
    this.areas[this.count] = this.#area(from, this.length)
    this.count += 1
    return true
  }

  /** Removes positions that repeat or are collinear across the closing point of the ring. */
  #closeInLine(from: number): void {
    const { xs, ys } = this
    let first = from
    let last = this.length - 1
    for (;;) {
      if (last - first < 2) break
      const [x, y] = [xs[first] as number, ys[first] as number]
      if ((xs[last] === x && ys[last] === y) || isInLine(xs, ys, last - 1, last, x, y)) last -= 1
      else if (isInLine(xs, ys, last, first, xs[first + 1] as number, ys[first + 1] as number)) first += 1
      else break
    }
    if (first > from) {
      xs.copyWithin(from, first, last + 1)
      ys.copyWithin(from, first, last + 1)
    }
    this.length = from + last - first + 1
  }

  #area(from: number, to: number): number {
    const { xs, ys } = this
    let area = 0
    let x = xs[to - 1] as number
    let y = ys[to - 1] as number
    for (let at = from; at < to; at += 1) {
      const nextX = xs[at] as number
      const nextY = ys[at] as number
      area += x * nextY - nextX * y
      x = nextX
      y = nextY
    }
    return area
  }

  #growRings(): void {
    const size = this.ends.length * 2
    const [ends, parts, areas] = [new Uint32Array(size), new Uint32Array(size), new Float64Array(size)]
    ends.set(this.ends)
    parts.set(this.parts)
    areas.set(this.areas)
    this.ends = ends
    this.parts = parts
    this.areas = areas
  }
}

function isInLine(xs: Int32Array, ys: Int32Array, a: number, b: number, x: number, y: number): boolean {
  const ax = xs[a] as number
  const ay = ys[a] as number
  return ((xs[b] as number) - ax) * (y - ay) === ((ys[b] as number) - ay) * (x - ax)
}

/** Rounds rings to integers; drops rings that enclose nothing, with the holes of a dropped outer ring. */
export function roundRings(source: Paths, target: WholeRings): void {
  target.clear()
  target.reserve(source.length)
  const { xs, ys, parts } = source
  let lostPart = -1
  for (let ring = 0; ring < source.count; ring += 1) {
    const part = parts[ring] as number
    if (part === lostPart) continue
    const end = source.ends[ring] as number
    for (let at = source.start(ring); at < end; at += 1) {
      target.add(Math.floor((xs[at] as number) + 0.5), Math.floor((ys[at] as number) + 0.5))
    }
    const isKept = target.endRing(part)
    if (!isKept && (ring === 0 || parts[ring - 1] !== part)) lostPart = part
  }
}
