import { linearTypeCode, polyhedralSurface } from '../../geo/curves/curve-tree.ts'
import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryField } from '../../geo/schema.ts'
import { GeometryError, geometryTypeCode } from '../../geo/wkb.ts'
import type { FlatBuffer } from './flat-buffer.ts'

/** Slots of the table Geometry (feature.fbs). */
const [endsSlot, xySlot, zSlot, mSlot, typeSlot, partsSlot] = [0, 1, 2, 3, 6, 7]

const maxDepth = 32

/** Returns the type number in a geometry table; 0 if it contains none. */
export function statedGeometryType(buffer: FlatBuffer, table: number): number {
  const at = buffer.field(table, typeSlot)
  return at === 0 ? 0 : buffer.uint8(at)
}

/** Triangles are polygons; surfaces of polygons or triangles are multipolygons. */
export function flatType(type: number): number {
  return type >= polyhedralSurface ? linearTypeCode(type) : type
}

/** Writes geometry tables of FlatGeobuf as WKB; type numbers are those of WKB up to GeometryCollection. */
export class FgbGeometry {
  readonly #hasZ: boolean
  readonly #hasM: boolean
  /** Type in the header; 0 if each feature has its own. */
  readonly #headerType: number
  /** Type that single geometries are converted to; 0 for none. */
  readonly #multiType: number
  #xy = 0
  #z = 0
  #m = 0
  readonly #target: GeometryBuilder
  readonly #buffer: FlatBuffer
  #limit = 0

  constructor(field: GeometryField, headerType: number, target: GeometryBuilder, buffer: FlatBuffer) {
    this.#hasZ = field.hasZ
    this.#hasM = field.hasM
    this.#headerType = headerType
    const code = geometryTypeCode(field.type)
    this.#multiType = code >= 4 && code <= 6 ? code : 0
    this.#target = target
    this.#buffer = buffer
  }

  /** Appends the geometry at `table`. Throws `GeometryError` or `FlatBufferError` if it is invalid. */
  append(table: number): void {
    const { start, end } = this.#buffer
    // Tables may be shared in a buffer: the output is limited in proportion to the input.
    this.#limit = this.#target.byteLength + (end - start) * 4 + 256
    const stated = this.#headerType === 0 ? statedGeometryType(this.#buffer, table) : this.#headerType
    const type = flatType(stated)
    if (this.#multiType === type + 3) {
      this.#header(this.#multiType)
      this.#target.count(1)
    }
    this.#geometry(table, type, 0)
    this.#target.endGeometry()
  }

  #geometry(table: number, type: number, depth: number): void {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    if (type < 1 || type > 7) {
      throw new GeometryError(`Geometry type ${type} is not supported (curves are not)`)
    }
    this.#header(type)
    if (type >= 6) this.#parts(table, type, depth)
    else this.#coordinates(table, type)
  }

  #header(type: number): void {
    if (this.#target.byteLength > this.#limit) {
      throw new GeometryError('Geometry has more parts than its record can hold')
    }
    this.#target.header(type, this.#hasZ, this.#hasM)
  }

  #parts(table: number, type: number, depth: number): void {
    const buffer = this.#buffer
    const first = buffer.vector(buffer.field(table, partsSlot), 4)
    const { count } = buffer
    this.#target.count(count)
    for (let part = 0; part < count; part += 1) {
      const member = buffer.target(first + part * 4)
      this.#geometry(member, type === 6 ? 3 : flatType(statedGeometryType(buffer, member)), depth + 1)
    }
  }

  #coordinates(table: number, type: number): void {
    const buffer = this.#buffer
    this.#xy = buffer.vector(buffer.field(table, xySlot), 8)
    if (buffer.count % 2 === 1) throw new GeometryError(`${buffer.count} ordinates are no pairs of x and y`)
    const points = buffer.count / 2
    this.#z = this.#hasZ ? this.#ordinates(table, zSlot, points) : 0
    this.#m = this.#hasM ? this.#ordinates(table, mSlot, points) : 0
    if (type === 1) this.#point(points)
    else if (type === 2) this.#line(0, points)
    else if (type === 4) this.#multiPoint(points)
    else this.#runs(table, type, points)
  }

  /** Returns the offset of the Z or M values; 0 if there are none, which makes them NaN. */
  #ordinates(table: number, slot: number, points: number): number {
    const buffer = this.#buffer
    const first = buffer.vector(buffer.field(table, slot), 8)
    if (buffer.count === 0) return 0
    if (buffer.count !== points)
      throw new GeometryError(`${buffer.count} Z or M values stand beside ${points} points`)
    return first
  }

  #point(points: number): void {
    if (points > 1) throw new GeometryError(`A point has ${points} coordinates`)
    const isEmpty = points === 0 || this.#isNaN(0)
    if (!isEmpty) {
      this.#points(0, 1)
      return
    }
    const ordinates = 2 + (this.#hasZ ? 1 : 0) + (this.#hasM ? 1 : 0)
    for (let ordinate = 0; ordinate < ordinates; ordinate += 1) this.#target.ordinate(Number.NaN)
  }

  #isNaN(point: number): boolean {
    const { view } = this.#buffer
    const at = this.#xy + point * 16
    return Number.isNaN(view.getFloat64(at, true)) && Number.isNaN(view.getFloat64(at + 8, true))
  }

  #line(from: number, to: number): void {
    this.#target.count(to - from)
    this.#points(from, to)
  }

  #multiPoint(points: number): void {
    this.#target.count(points)
    for (let point = 0; point < points; point += 1) {
      this.#header(1)
      this.#points(point, point + 1)
    }
  }

  /**
   * Writes rings or lines: `ends` contains the index after the last point of each; it may be missing for a
   * single one.
   */
  #runs(table: number, type: number, points: number): void {
    const buffer = this.#buffer
    const ends = buffer.vector(buffer.field(table, endsSlot), 4)
    const runs = buffer.count === 0 && points > 0 ? 1 : buffer.count
    this.#target.count(runs)
    let from = 0
    for (let run = 0; run < runs; run += 1) {
      const to = ends === 0 || buffer.count === 0 ? points : buffer.view.getUint32(ends + run * 4, true)
      if (to < from || to > points)
        throw new GeometryError(`Part ${run + 1} ends at point ${to} of ${points}`)
      if (type === 5) this.#header(2)
      this.#line(from, to)
      from = to
    }
    if (from !== points) throw new GeometryError(`The parts end at point ${from} of ${points}`)
  }

  #points(from: number, to: number): void {
    const { view } = this.#buffer
    const target = this.#target
    const [xy, z, m, hasZ, hasM] = [this.#xy, this.#z, this.#m, this.#hasZ, this.#hasM]
    const stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    target.reserve((to - from) * stride)
    const out = target.view
    let at = target.byteLength
    for (let point = from; point < to; point += 1) {
      const x = view.getFloat64(xy + point * 16, true)
      const y = view.getFloat64(xy + point * 16 + 8, true)
      if (!(Number.isFinite(x) && Number.isFinite(y))) {
        throw new GeometryError(`Coordinate is not finite: ${x} ${y} (point ${point + 1})`)
      }
      target.include(x, y)
      out.setFloat64(at, x, true)
      out.setFloat64(at + 8, y, true)
      at += 16
      if (hasZ) {
        out.setFloat64(at, z === 0 ? Number.NaN : view.getFloat64(z + point * 8, true), true)
        at += 8
      }
      if (hasM) {
        out.setFloat64(at, m === 0 ? Number.NaN : view.getFloat64(m + point * 8, true), true)
        at += 8
      }
    }
    target.advance((to - from) * stride)
  }
}
