/** A point, and the factors for differences in x and y. */
export interface ScaledPoint {
  x: number
  y: number
  scale: [x: number, y: number]
}

/**
 * Returns the distance from a point to the nearest point or line of a little-endian ISO WKB, and `Infinity` where it has
 * none: polygons do not count.
 */
export function wkbDistance(bytes: Uint8Array, offset: number, from: ScaledPoint): number {
  const walk = new DistanceWalk(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), from)
  walk.geometry(offset)
  return Math.sqrt(walk.squared)
}

class DistanceWalk {
  squared = Number.POSITIVE_INFINITY
  readonly #view: DataView
  readonly #from: ScaledPoint

  constructor(view: DataView, from: ScaledPoint) {
    this.#view = view
    this.#from = from
  }

  /** Returns the offset after the geometry. */
  geometry(offset: number): number {
    const view = this.#view
    const type = view.getUint32(offset + 1, true)
    const [code, thousands] = [type % 1000, Math.floor(type / 1000)]
    const stride = 16 + (thousands === 0 ? 0 : thousands === 3 ? 16 : 8)
    if (code === 1) return this.#line(offset + 5, 1, stride)
    const count = view.getUint32(offset + 5, true)
    if (code === 2) return this.#line(offset + 9, count, stride)
    let at = offset + 9
    for (let part = 0; part < count; part += 1)
      at = code === 3 ? at + 4 + view.getUint32(at, true) * stride : this.geometry(at)
    return at
  }

  /** Measures a line. The NaN of an empty point is never the nearest. */
  #line(start: number, count: number, stride: number): number {
    const stop = start + count * stride
    const { x, y, scale } = this.#from
    let [fromX, fromY] = [Number.NaN, Number.NaN]
    for (let at = start; at < stop; at += stride) {
      const toX = (this.#view.getFloat64(at, true) - x) * scale[0]
      const toY = (this.#view.getFloat64(at + 8, true) - y) * scale[1]
      const squared = at === start ? toX * toX + toY * toY : squaredToOrigin(fromX, fromY, toX, toY)
      if (squared < this.squared) this.squared = squared
      fromX = toX
      fromY = toY
    }
    return stop
  }
}

/** Returns the square of the distance from the origin to a segment. */
function squaredToOrigin(ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length))
  const [x, y] = [ax + share * dx, ay + share * dy]
  return x * x + y * y
}
