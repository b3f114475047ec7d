/** Consecutive lines, rings or points, in tile units. Memory is reused between features. */
export class Paths {
  xs = new Float64Array(128)
  ys = new Float64Array(128)
  /** Number of positions. */
  length = 0
  /** Index after the last position of each path. */
  ends = new Uint32Array(8)
  /** Polygon index of each ring; the first ring of a polygon is its outer one. */
  parts = new Uint32Array(8)
  /** Number of paths. */
  count = 0

  clear(): void {
    this.length = 0
    this.count = 0
  }

  /** Reserves space for this many further positions. */
  reserve(positions: number): void {
    if (this.length + positions <= this.xs.length) return
    const size = Math.max(this.xs.length * 2, this.length + positions)
    const [xs, ys] = [new Float64Array(size), new Float64Array(size)]
    xs.set(this.xs.subarray(0, this.length))
    ys.set(this.ys.subarray(0, this.length))
    this.xs = xs
    this.ys = ys
  }

  add(x: number, y: number): void {
    if (this.length === this.xs.length) this.reserve(1)
    this.xs[this.length] = x
    this.ys[this.length] = y
    this.length += 1
  }

  start(path: number): number {
    return path === 0 ? 0 : (this.ends[path - 1] as number)
  }

  /** Start index of the current path. */
  get openStart(): number {
    return this.count === 0 ? 0 : (this.ends[this.count - 1] as number)
  }

  /** Ends the current path. */
  endPath(part: number): void {
    if (this.count === this.ends.length) {
      const [ends, parts] = [new Uint32Array(this.count * 2), new Uint32Array(this.count * 2)]
      ends.set(this.ends)
      parts.set(this.parts)
      this.ends = ends
      this.parts = parts
    }
    this.ends[this.count] = this.length
    this.parts[this.count] = part
    this.count += 1
  }

  /** Removes the current path. */
  dropOpen(): void {
    this.length = this.openStart
  }
}
