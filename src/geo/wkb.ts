import type { Envelope } from './envelope.ts'
import type { GeometryType } from './schema.ts'
import { geometryTypes } from './schema.ts'

/**
 * Well-known binary in this program's own form: ISO WKB (OGC 06-103r4 section 8, Z + 1000, M + 2000), always
 * little-endian. `normalizeWkb` converts other forms (big-endian, EWKB flags).
 */
export interface WkbInfo {
  /** Index into `geometryTypes`: the WKB base code. */
  typeCode: number
  hasZ: boolean
  hasM: boolean
  isEmpty: boolean
}

/** Bytes that are not a well-formed geometry; the message names the position. */
export class GeometryError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GeometryError'
  }
}

/** A geometry, or a part of it, is a curve or a surface: `curves/curve-wkb.ts` reads it. */
export class CurveError extends GeometryError {}

const maxDepth = 32

/** Returns the name of a base code of WKB; `Geometry` for an unknown one. */
export function geometryTypeName(typeCode: number): GeometryType {
  return geometryTypes[typeCode] ?? 'Geometry'
}

/** Returns the base code of a type in WKB. */
export function geometryTypeCode(type: GeometryType): number {
  return geometryTypes.indexOf(type)
}

/** Returns the ISO WKB type number of a base code with these dimensions. */
export function wkbTypeNumber(typeCode: number, hasZ: boolean, hasM: boolean): number {
  return typeCode + (hasZ ? 1000 : 0) + (hasM ? 2000 : 0)
}

/** Scans any WKB or EWKB: checks its form and that coordinates are finite, and determines its envelope. */
export class WkbScanner {
  minX = 0
  minY = 0
  maxX = 0
  maxY = 0
  /** False if there are big-endian parts or EWKB flags, so that `normalizeWkb` has to rewrite the bytes. */
  isIsoLittleEndian = true
  end = 0

  #view: DataView = new DataView(new ArrayBuffer(0))
  #limit = 0

  /**
   * Scans the geometry at `offset`; afterwards `end` is the offset behind it and the envelope fields hold (NaN when
   * it is empty). Throws `GeometryError` on bytes that end early, unknown types or coordinates that are not finite
   * (an empty point's NaN excepted).
   */
  scan(view: DataView, offset: number, limit = view.byteLength): WkbInfo {
    this.#view = view
    this.#limit = limit
    this.minX = this.minY = Number.POSITIVE_INFINITY
    this.maxX = this.maxY = Number.NEGATIVE_INFINITY
    this.isIsoLittleEndian = true
    this.end = offset
    const info = this.#geometry(0, -1)
    info.isEmpty = this.minX > this.maxX
    if (info.isEmpty) this.minX = this.minY = this.maxX = this.maxY = Number.NaN
    return info
  }

  #need(count: number): void {
    if (this.end + count > this.#limit) {
      throw new GeometryError(`Geometry ends early: ${this.#limit - this.end} bytes left, ${count} expected`)
    }
  }

  #geometry(depth: number, member: number): WkbInfo {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    this.#need(5)
    const order = this.#view.getUint8(this.end)
    if (order > 1) throw new GeometryError(`Unknown WKB byte order ${order}`)
    const isLittle = order === 1
    let type = this.#view.getUint32(this.end + 1, isLittle)
    this.end += 5
    if (!isLittle || type > 0xffff) this.isIsoLittleEndian = false
    let hasZ = (type & 0x80000000) !== 0
    let hasM = (type & 0x40000000) !== 0
    if ((type & 0x20000000) !== 0) {
      this.#need(4)
      this.end += 4
    }
    type &= 0x0fffffff
    const thousands = Math.floor(type / 1000)
    const typeCode = type % 1000
    if (thousands > 3) throw new GeometryError(`Unknown WKB type ${type}`)
    hasZ ||= thousands === 1 || thousands === 3
    hasM ||= thousands >= 2
    if (member >= 0 && typeCode !== member) {
      if (typeCode > 7) throw new CurveError(`A part is of type ${typeCode}`)
      throw new GeometryError(`A ${geometryTypeName(member)} was expected, found WKB type ${type}`)
    }
    const dimensions = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)
    this.#body(typeCode, dimensions, isLittle, depth)
    return { typeCode, hasZ, hasM, isEmpty: false }
  }

  #body(typeCode: number, dimensions: number, isLittle: boolean, depth: number): void {
    if (typeCode === 1) {
      this.#need(dimensions * 8)
      this.#point(this.end, isLittle, true)
      this.end += dimensions * 8
    } else if (typeCode === 2) {
      this.#points(dimensions, isLittle)
    } else if (typeCode === 3) {
      const rings = this.#count(4, isLittle)
      for (let ring = 0; ring < rings; ring += 1) this.#points(dimensions, isLittle)
    } else if (typeCode >= 4 && typeCode <= 7) {
      const parts = this.#count(5, isLittle)
      const member = typeCode === 7 ? -1 : typeCode - 3
      for (let part = 0; part < parts; part += 1) this.#geometry(depth + 1, member)
    } else {
      const message = `Geometry type ${typeCode} is not supported`
      throw typeCode > 7 && typeCode <= 17 ? new CurveError(message) : new GeometryError(message)
    }
  }

  #count(minBytes: number, isLittle: boolean): number {
    this.#need(4)
    const count = this.#view.getUint32(this.end, isLittle)
    this.end += 4
    this.#need(count * minBytes)
    return count
  }

  #points(dimensions: number, isLittle: boolean): void {
    const count = this.#count(dimensions * 8, isLittle)
    const stride = dimensions * 8
    const stop = this.end + count * stride
    for (let at = this.end; at < stop; at += stride) this.#point(at, isLittle, false)
    this.end = stop
  }

  #point(at: number, isLittle: boolean, mayBeEmpty: boolean): void {
    const x = this.#view.getFloat64(at, isLittle)
    const y = this.#view.getFloat64(at + 8, isLittle)
    if (!(Number.isFinite(x) && Number.isFinite(y))) {
      if (mayBeEmpty && Number.isNaN(x) && Number.isNaN(y)) return
      throw new GeometryError(`Coordinate is not finite: ${x} ${y}`)
    }
    if (x < this.minX) this.minX = x
    if (x > this.maxX) this.maxX = x
    if (y < this.minY) this.minY = y
    if (y > this.maxY) this.maxY = y
  }
}

/** Visits runs of coordinates of a little-endian ISO WKB; `dimensions` doubles a point, `count` points. */
export type CoordinateVisitor = (byteOffset: number, count: number, dimensions: number) => void

/** Visits the coordinates of a well-formed little-endian ISO WKB at `offset`. Returns the offset after it. */
export function walkCoordinates(view: DataView, offset: number, visit: CoordinateVisitor): number {
  const type = view.getUint32(offset + 1, true)
  const typeCode = type % 1000
  const thousands = (type - typeCode) / 1000
  const dimensions = thousands === 0 ? 2 : thousands === 3 ? 4 : 3
  let at = offset + 5
  if (typeCode === 1) {
    visit(at, 1, dimensions)
    return at + dimensions * 8
  }
  const parts = view.getUint32(at, true)
  at += 4
  if (typeCode === 2) {
    visit(at, parts, dimensions)
    return at + parts * dimensions * 8
  }
  for (let part = 0; part < parts; part += 1) {
    if (typeCode === 3) {
      const count = view.getUint32(at, true)
      visit(at + 4, count, dimensions)
      at += 4 + count * dimensions * 8
    } else {
      at = walkCoordinates(view, at, visit)
    }
  }
  return at
}

/** Rewrites any well-formed WKB or EWKB as little-endian ISO WKB, without an SRID. */
export function normalizeWkb(source: Uint8Array): Uint8Array {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  const scanner = new WkbScanner()
  scanner.scan(view, 0)
  if (scanner.isIsoLittleEndian) return source.subarray(0, scanner.end)
  const target = new Uint8Array(source.byteLength)
  const out = new DataView(target.buffer)
  let from = 0
  let to = 0
  const doubles = (count: number, isLittle: boolean): void => {
    for (let i = 0; i < count; i += 1)
      out.setFloat64(to + i * 8, view.getFloat64(from + i * 8, isLittle), true)
    from += count * 8
    to += count * 8
  }
  const count = (isLittle: boolean): number => {
    const value = view.getUint32(from, isLittle)
    out.setUint32(to, value, true)
    from += 4
    to += 4
    return value
  }
  const geometry = (): void => {
    const isLittle = view.getUint8(from) === 1
    const raw = view.getUint32(from + 1, isLittle)
    from += (raw & 0x20000000) !== 0 ? 9 : 5
    const iso = raw & 0x0fffffff
    const typeCode = iso % 1000
    const thousands = Math.floor(iso / 1000)
    const hasZ = (raw & 0x80000000) !== 0 || thousands === 1 || thousands === 3
    const hasM = (raw & 0x40000000) !== 0 || thousands >= 2
    const dimensions = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)
    out.setUint8(to, 1)
    out.setUint32(to + 1, wkbTypeNumber(typeCode, hasZ, hasM), true)
    to += 5
    if (typeCode === 1) doubles(dimensions, isLittle)
    else if (typeCode === 2) doubles(count(isLittle) * dimensions, isLittle)
    else {
      const parts = count(isLittle)
      for (let part = 0; part < parts; part += 1) {
        if (typeCode === 3) doubles(count(isLittle) * dimensions, isLittle)
        else geometry()
      }
    }
  }
  geometry()
  return target.subarray(0, to)
}

/** Returns the envelope of a well-formed WKB; undefined if it is empty. */
export function wkbEnvelope(bytes: Uint8Array): Envelope | undefined {
  const scanner = new WkbScanner()
  const info = scanner.scan(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0)
  if (info.isEmpty) return undefined
  return { minX: scanner.minX, minY: scanner.minY, maxX: scanner.maxX, maxY: scanner.maxY }
}
