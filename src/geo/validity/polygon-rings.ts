/** Rings of one polygonal geometry, reused for the next one. Repeated points are omitted. */
export class PolygonRings {
  xs = new Float64Array(1024)
  ys = new Float64Array(1024)
  pointCount = 0
  ringCount = 0
  polygonCount = 0
  /**
   * Ring r has the points from `ringStarts[r]` to before `ringStarts[r + 1]`, the last one equal to the
   * first.
   */
  ringStarts = new Uint32Array(64)
  /** Polygon p has the rings from `polygonStarts[p]` to before `polygonStarts[p + 1]`, the shell first. */
  polygonStarts = new Uint32Array(64)

  /**
   * Reads the polygon or multipolygon at `offset` of well-formed little-endian ISO WKB. False where a ring is not
   * closed or has fewer than three different points.
   */
  read(view: DataView, offset: number): boolean {
    this.pointCount = 0
    this.ringCount = 0
    this.polygonCount = 0
    const number = view.getUint32(offset + 1, true)
    if (number % 1000 === 3) {
      const end = this.#polygon(view, offset)
      return end > 0
    }
    const parts = view.getUint32(offset + 5, true)
    let at = offset + 9
    for (let part = 0; part < parts && at > 0; part += 1) at = this.#polygon(view, at)
    return at > 0
  }

  #polygon(view: DataView, offset: number): number {
    const thousands = Math.floor(view.getUint32(offset + 1, true) / 1000)
    const stride = (thousands === 0 ? 2 : thousands === 3 ? 4 : 3) * 8
    const rings = view.getUint32(offset + 5, true)
    let at = offset + 9
    this.#grow(rings)
    this.polygonStarts[this.polygonCount] = this.ringCount
    for (let ring = 0; ring < rings; ring += 1) {
      const points = view.getUint32(at, true)
      if (!this.#ring(view, at + 4, points, stride)) return 0
      at += 4 + points * stride
    }
    this.polygonCount += 1
    this.polygonStarts[this.polygonCount] = this.ringCount
    return at
  }

  #grow(rings: number): void {
    if (this.ringCount + rings + 2 > this.ringStarts.length) {
      this.ringStarts = grown(this.ringStarts, this.ringCount + rings + 2)
    }
    if (this.polygonCount + 3 > this.polygonStarts.length) {
      this.polygonStarts = grown(this.polygonStarts, this.polygonCount + 3)
    }
  }

  #ring(view: DataView, offset: number, points: number, stride: number): boolean {
    if (this.pointCount + points > this.xs.length) {
      const xs = new Float64Array(Math.max(this.xs.length * 2, this.pointCount + points))
      const ys = new Float64Array(xs.length)
      xs.set(this.xs.subarray(0, this.pointCount))
      ys.set(this.ys.subarray(0, this.pointCount))
      this.xs = xs
      this.ys = ys
    }
    const { xs, ys } = this
    const first = this.pointCount
    let to = first
    for (let at = offset, point = 0; point < points; point += 1, at += stride) {
      const x = view.getFloat64(at, true)
      const y = view.getFloat64(at + 8, true)
      if (to > first && xs[to - 1] === x && ys[to - 1] === y) continue
      xs[to] = x
      ys[to] = y
      to += 1
    }
    this.ringStarts[this.ringCount] = first
    this.ringCount += 1
    this.ringStarts[this.ringCount] = to
    this.pointCount = to
    return to - first >= 4 && xs[first] === xs[to - 1] && ys[first] === ys[to - 1]
  }
}

function grown(values: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(values.length * 2, least))
  larger.set(values)
  return larger
}
