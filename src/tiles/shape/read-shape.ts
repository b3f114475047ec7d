import { GeometryError } from '../../geo/wkb.ts'
import { clipLine, clipRing } from './clip.ts'
import { Paths } from './paths.ts'
import type { Placer } from './placer.ts'

const maxDepth = 32

/** The error for a form of WKB that must be converted first. */
export class ForeignForm extends GeometryError {}

/** Reads successive geometries into points, lines and rings in tile units. */
export class ShapeReader {
  readonly points = new Paths()
  readonly lines = new Paths()
  readonly rings = new Paths()
  /** False if a position cannot be projected to the CRS of the tile. */
  hasImage = true
  readonly #raw = new Paths()
  readonly #clipped = new Paths()
  #placer: Placer
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  #end = 0
  #polygons = 0
  /** True if latitudes may be beyond those that can be projected. */
  #isPolar = false

  constructor(placer: Placer) {
    this.#placer = placer
  }

  /** Starts another tile. */
  begin(placer: Placer): void {
    this.#placer = placer
  }

  /**
   * Throws `GeometryError` if the bytes are not a valid geometry, `ForeignForm` if they have another form.
   */
  read(view: DataView, start: number, end: number, isPolar: boolean): void {
    this.points.clear()
    this.lines.clear()
    this.rings.clear()
    this.hasImage = true
    this.#view = view
    this.#at = start
    this.#end = end
    this.#polygons = 0
    this.#isPolar = isPolar
    this.#geometry(0)
  }

  #geometry(depth: number): void {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    this.#need(5)
    const type = this.#view.getUint32(this.#at + 1, true)
    if (this.#view.getUint8(this.#at) !== 1 || type > 4000) throw new ForeignForm('Another form of WKB')
    this.#at += 5
    const base = type % 1000
    const thousands = (type - base) / 1000
    const stride = thousands === 0 ? 16 : thousands === 3 ? 32 : 24
    if (base === 1) this.#point(stride)
    else if (base === 2) this.#path(this.lines, stride, 0)
    else if (base === 3) this.#polygon(stride)
    else if (base >= 4 && base <= 7) {
      const parts = this.#count(5)
      for (let part = 0; part < parts; part += 1) this.#geometry(depth + 1)
    } else throw new ForeignForm(`Geometry type ${type}`)
  }

  #polygon(stride: number): void {
    const rings = this.#count(4)
    const part = this.#polygons
    this.#polygons += 1
    for (let ring = 0; ring < rings; ring += 1) this.#path(this.rings, stride, part)
  }

  #point(stride: number): void {
    this.#need(stride)
    const at = this.#at
    this.#at += stride
    const x = this.#view.getFloat64(at, true)
    const y = this.#view.getFloat64(at + 8, true)
    if (Number.isNaN(x) && Number.isNaN(y)) return
    const limit = this.#placer.latitudeLimit
    if (limit !== undefined && this.#isPolar && Math.abs(y) > limit) return
    const { points } = this
    this.#placer.read(this.#view, at, 1, stride, points)
    this.#checkPositions(points, points.length - 1)
    points.endPath(0)
  }

  #path(target: Paths, stride: number, part: number): void {
    const count = this.#count(stride)
    const at = this.#at
    this.#at += count * stride
    if (count === 0) return
    if (this.#isPolar && this.#placer.latitudeLimit !== undefined) {
      this.#polarPath(target, at, count, stride, part)
      return
    }
    const from = target.length
    this.#placer.read(this.#view, at, count, stride, target)
    this.#endPath(target, from, part)
  }

  #endPath(target: Paths, from: number, part: number): void {
    this.#checkPositions(target, from)
    if (target === this.rings && isClosed(target, from)) target.length -= 1
    if (this.#placer.isWrapped && this.hasImage) unwind(target, from, this.#placer, target === this.rings)
    target.endPath(part)
  }

  /** Clips a path at the maximum latitudes, then transforms the rest. */
  #polarPath(target: Paths, offset: number, count: number, stride: number, part: number): void {
    const [raw, clipped] = [this.#raw, this.#clipped]
    raw.clear()
    clipped.clear()
    for (let i = 0, at = offset; i < count; i += 1, at += stride) {
      raw.add(this.#view.getFloat64(at, true), this.#view.getFloat64(at + 8, true))
    }
    const isRing = target === this.rings
    if (isRing && isClosed(raw, 0)) raw.length -= 1
    raw.endPath(part)
    this.#checkPositions(raw, 0)
    const limit = this.#placer.latitudeLimit ?? Number.POSITIVE_INFINITY
    const [minX, maxX] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    const band = { minX, minY: -limit, maxX, maxY: limit }
    if (isRing) clipRing(raw, 0, 0, band, clipped)
    else clipLine(raw, 0, 0, band, clipped)
    this.#placer.move(clipped.xs, clipped.ys, 0, clipped.length)
    for (let path = 0; path < clipped.count; path += 1) {
      const from = target.length
      for (let at = clipped.start(path); at < (clipped.ends[path] as number); at += 1) {
        target.add(clipped.xs[at] as number, clipped.ys[at] as number)
      }
      this.#endPath(target, from, part)
    }
  }

  /** Checks for positions that cannot be projected, or are so far away that arithmetic would fail. */
  #checkPositions({ xs, ys, length }: Paths, from: number): void {
    let most = 0
    for (let at = from; at < length; at += 1) {
      const x = Math.abs(xs[at] as number)
      const y = Math.abs(ys[at] as number)
      if (!(x <= most)) most = x
      if (!(y <= most)) most = y
      if (!(most < 1e15)) {
        this.hasImage = false
        return
      }
    }
  }

  #count(minBytes: number): number {
    this.#need(4)
    const count = this.#view.getUint32(this.#at, true)
    this.#at += 4
    this.#need(count * minBytes)
    return count
  }

  #need(count: number): void {
    if (this.#at + count > this.#end) throw new GeometryError('Geometry ends early')
  }
}

function isClosed({ xs, ys, length }: Paths, from: number): boolean {
  return length - from > 1 && xs[from] === xs[length - 1] && ys[from] === ys[length - 1]
}

/**
 * Removes jumps of more than half a turn from a path. A ring that does not return to its start encloses a
 * pole: it is extended to the pole and back.
 */
function unwind(paths: Paths, from: number, { turn, equator }: Placer, isRing: boolean): void {
  const { xs, ys } = paths
  const to = paths.length
  let shift = 0
  let before = xs[from] as number
  let sum = 0
  for (let at = from; at < to; at += 1) {
    const x = xs[at] as number
    if (x - before > turn / 2) shift -= turn
    else if (before - x > turn / 2) shift += turn
    before = x
    xs[at] = x + shift
    sum += ys[at] as number
  }
  const first = xs[from] as number
  const last = xs[to - 1] as number
  if (!isRing || Math.abs(last - first) <= turn / 2) return
  const end = first + (last > first ? turn : -turn)
  const middle = sum / (to - from)
  const pole = middle < equator ? -4 * turn : 4 * turn
  paths.add(end, ys[from] as number)
  paths.add(end, pole)
  paths.add(first, pole)
}
