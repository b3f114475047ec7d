import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryField } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { RingGroups } from './ring-groups.ts'
import { noDataLimit, ShapeLayout } from './shape-layout.ts'
import type { ShapeType } from './shp-header.ts'

const [pointCode, lineCode, polygonCode] = [1, 2, 3]
/** Type number of a record with a point without Z and M (Technical Description, page 4). */
const plainPointType = 1

/** Writes shape records as WKB with the geometry type and dimensions of the layer. */
export class ShapeGeometry {
  readonly groups = new RingGroups()
  readonly #layout = new ShapeLayout()
  readonly #base: ShapeType['base']
  readonly #hasZ: boolean
  readonly #hasM: boolean
  readonly #isMulti: boolean
  #view: DataView = new DataView(new ArrayBuffer(0))
  #firstHole = new Int32Array(16)
  #nextHole = new Int32Array(16)

  constructor(base: ShapeType['base'], field: GeometryField) {
    this.#base = base
    this.#hasZ = field.hasZ
    this.#hasM = field.hasM
    this.#isMulti = field.type.startsWith('Multi')
  }

  /**
   * Appends the record content `view[start, start + length)` to `target`. Throws `GeometryError` if it is
   * damaged or of another type; the caller must then remove the row.
   */
  append(target: GeometryBuilder, view: DataView, start: number, length: number): void {
    const layout = this.#layout
    const type = layout.read(view, start, length)
    this.#view = view
    if (type.base === 'Null' || (type.base === this.#base && layout.pointCount === 0)) target.appendNull()
    else if (type.base !== this.#base) {
      throw new GeometryError(`The record is a ${type.base}, the file holds ${this.#base} shapes`)
    } else {
      if (type.base === 'Point') this.#geometry(target, pointCode, 0, 1)
      else if (type.base === 'MultiPoint') this.#multiPoint(target)
      else if (type.base === 'PolyLine') this.#polyLine(target)
      else this.#polygon(target)
      target.endGeometry()
    }
  }

  /**
   * Appends records at `starts` with these lengths. Throws as `append`; the caller must then remove all of
   * them.
   */
  appendAll(
    target: GeometryBuilder,
    view: DataView,
    { starts, lengths, count }: { starts: Int32Array; lengths: Int32Array; count: number },
  ): void {
    const isPlainPoint = this.#base === 'Point' && !this.#isMulti && !this.#hasZ && !this.#hasM
    for (let record = 0; record < count; record += 1) {
      const start = starts[record] as number
      const length = lengths[record] as number
      if (isPlainPoint && length >= 20 && view.getInt32(start, true) === plainPointType)
        target.appendPoint(view.getFloat64(start + 4, true), view.getFloat64(start + 12, true))
      else this.append(target, view, start, length)
    }
  }

  #multiPoint(target: GeometryBuilder): void {
    const count = this.#layout.pointCount
    this.#header(target, pointCode + 3)
    target.count(count)
    for (let point = 0; point < count; point += 1) this.#geometry(target, pointCode, point, point + 1)
  }

  #polyLine(target: GeometryBuilder): void {
    const layout = this.#layout
    let countAt = -1
    let parts = 0
    if (this.#isMulti) {
      this.#header(target, lineCode + 3)
      countAt = target.count(0)
    }
    for (let part = 0; part < layout.partCount; part += 1) {
      const from = layout.partStart(this.#view, part)
      const to = layout.partEnd(this.#view, part)
      if (from === to) continue
      parts += 1
      if (parts > 1 && countAt < 0) throw new GeometryError('The line has several parts')
      this.#geometry(target, lineCode, from, to)
    }
    if (countAt >= 0) target.setCount(countAt, parts)
  }

  /** Writes a point or line. The point of a single-point line is repeated, so that databases accept it. */
  #geometry(target: GeometryBuilder, code: number, from: number, to: number): void {
    this.#header(target, code)
    const isShort = code === lineCode && to - from === 1
    if (code === lineCode) target.count(isShort ? 2 : to - from)
    this.#points(target, from, to)
    if (isShort) this.#points(target, from, to)
  }

  #polygon(target: GeometryBuilder): void {
    const layout = this.#layout
    const { groups } = this
    groups.group(this.#view, layout)
    if (this.#isMulti) {
      this.#header(target, polygonCode + 3)
      target.count(groups.outerCount)
    } else if (groups.outerCount > 1) throw new GeometryError('The polygon has several outer rings')
    this.#linkHoles(layout.partCount)
    for (let outer = 0; outer < layout.partCount; outer += 1) {
      if (groups.owner[outer] !== outer) continue
      this.#header(target, polygonCode)
      const countAt = target.count(0)
      let rings = 0
      for (
        let ring = outer;
        ring >= 0;
        ring = (rings === 1 ? this.#firstHole[outer] : this.#nextHole[ring]) as number
      ) {
        this.#ring(target, layout.partStart(this.#view, ring), layout.partEnd(this.#view, ring))
        rings += 1
      }
      target.setCount(countAt, rings)
    }
  }

  /** Links the holes of each outer ring in file order. */
  #linkHoles(parts: number): void {
    if (parts > this.#firstHole.length) {
      this.#firstHole = new Int32Array(parts * 2)
      this.#nextHole = new Int32Array(parts * 2)
    }
    this.#firstHole.fill(-1, 0, parts)
    const { owner } = this.groups
    for (let ring = parts - 1; ring >= 0; ring -= 1) {
      const outer = owner[ring] as number
      if (outer === ring || outer < 0) continue
      this.#nextHole[ring] = this.#firstHole[outer] as number
      this.#firstHole[outer] = ring
    }
  }

  /** Writes a ring: an open ring is closed, and the last point is repeated if there are fewer than four. */
  #ring(target: GeometryBuilder, from: number, to: number): void {
    const missing = missingRingPoints(this.#view, this.#layout, from, to)
    const isOpen = !isClosedRing(this.#view, this.#layout, from, to)
    target.count(to - from + missing)
    this.#points(target, from, to)
    for (let point = 0; point < missing; point += 1) {
      if (isOpen) this.#points(target, from, from + 1)
      else this.#points(target, to - 1, to)
    }
  }

  #header(target: GeometryBuilder, code: number): void {
    target.header(code, this.#hasZ, this.#hasM)
  }

  #points(target: GeometryBuilder, from: number, to: number): void {
    const { pointsAt, zAt, mAt } = this.#layout
    const view = this.#view
    const [hasZ, hasM] = [this.#hasZ, this.#hasM]
    const stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    target.reserve((to - from) * stride)
    const out = target.view
    let at = target.byteLength
    let minX = Number.POSITIVE_INFINITY
    let minY = Number.POSITIVE_INFINITY
    let maxX = Number.NEGATIVE_INFINITY
    let maxY = Number.NEGATIVE_INFINITY
    for (let point = from; point < to; point += 1) {
      const x = view.getFloat64(pointsAt + point * 16, true)
      const y = view.getFloat64(pointsAt + point * 16 + 8, true)
      if (!(Number.isFinite(x) && Number.isFinite(y))) {
        throw new GeometryError(`Coordinate is not finite: ${x} ${y} (point ${point + 1})`)
      }
      if (x < minX) minX = x
      if (x > maxX) maxX = x
      if (y < minY) minY = y
      if (y > maxY) maxY = y
      out.setFloat64(at, x, true)
      out.setFloat64(at + 8, y, true)
      at += 16
      if (hasZ) {
        out.setFloat64(at, zAt < 0 ? Number.NaN : view.getFloat64(zAt + point * 8, true), true)
        at += 8
      }
      if (hasM) {
        const m = mAt < 0 ? Number.NaN : view.getFloat64(mAt + point * 8, true)
        out.setFloat64(at, m < noDataLimit ? Number.NaN : m, true)
        at += 8
      }
    }
    target.advance((to - from) * stride)
    target.include(minX, minY)
    target.include(maxX, maxY)
  }
}

function isClosedRing(view: DataView, layout: ShapeLayout, from: number, to: number): boolean {
  const first = layout.pointsAt + from * 16
  const last = layout.pointsAt + (to - 1) * 16
  return (
    view.getFloat64(first, true) === view.getFloat64(last, true) &&
    view.getFloat64(first + 8, true) === view.getFloat64(last + 8, true)
  )
}

/** Returns how many points a ring lacks to be closed and to have four. */
export function missingRingPoints(view: DataView, layout: ShapeLayout, from: number, to: number): number {
  const closing = isClosedRing(view, layout, from, to) ? 0 : 1
  return Math.max(closing, 4 - (to - from))
}
