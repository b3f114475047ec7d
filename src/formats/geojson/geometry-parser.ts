import { asciiText } from '../../core/values/decimal.ts'
import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryShape } from '../../geo/geometry-shape.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { JsonScanner } from './json-scanner.ts'
import { outOfJsonBytes } from './json-scanner.ts'

const encoder = new TextEncoder()

export const typeKey = encoder.encode('type')
const memberNames = ['type', 'coordinates', 'geometries'] as const
const keys = memberNames.map((name) => encoder.encode(name))
const members = memberNames.map((name) => encoder.encode(`"${name}":`))
const maxDepth = 30
const open = 0x5b
const close = 0x5d

/** Names as RFC 7946 section 1.4 spells them, by WKB type code. */
export const geometryNames = [
  '',
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const
const nameWords = geometryNames.map((name) => encoder.encode(`"${name}"`))

/**
 * Writes GeoJSON geometries (RFC 7946 section 3.1) as WKB directly from bytes. Numbers after the third of a
 * position have no defined meaning and are skipped; an empty coordinates array is an empty geometry.
 */
export class GeometryParser {
  builder: GeometryBuilder
  /** Type of the last geometry, before its conversion to the type of the column. */
  typeCode = 0
  hasZ = false
  /** Number of positions with more than three numbers, over all geometries. */
  longPositions = 0
  readonly #scanner: JsonScanner
  readonly #isMulti: boolean
  readonly #writesZ: boolean
  #lastType = 1
  #x = 0
  #y = 0

  constructor(scanner: JsonScanner, builder: GeometryBuilder, shape: GeometryShape) {
    this.#scanner = scanner
    this.builder = builder
    this.#isMulti = shape.isMulti
    this.#writesZ = shape.hasZ
  }

  /** Appends the geometry object at the scanner to the builder. */
  parse(): void {
    this.hasZ = false
    this.typeCode = this.#geometry(0)
    this.builder.endGeometry()
  }

  /** Returns the type code of the string at the scanner. */
  readType(): number {
    const scanner = this.#scanner
    if (scanner.take(nameWords[this.#lastType] as Uint8Array)) return this.#lastType
    if (scanner.bytes[scanner.at] !== 0x22) this.#refuse('"type" is not a string')
    scanner.string()
    const name = asciiText(
      scanner.bytes,
      scanner.tokenStart,
      Math.min(scanner.tokenEnd, scanner.tokenStart + 40),
    )
    const typeCode = (geometryNames as readonly string[]).indexOf(name)
    if (typeCode <= 0) throw new GeometryError(`Unknown geometry type "${name}"`)
    this.#lastType = typeCode
    return typeCode
  }

  /** Skips a member name; returns its index in `memberNames`, or their number for any other name. */
  #passMemberName(): number {
    const scanner = this.#scanner
    for (let i = 0; i < members.length; i += 1) if (scanner.take(members[i] as Uint8Array)) return i
    scanner.key()
    for (let i = 0; i < keys.length; i += 1) if (scanner.tokenIs(keys[i] as Uint8Array)) return i
    return keys.length
  }

  #refuse(reason: string): never {
    if (this.#scanner.at >= this.#scanner.end) throw outOfJsonBytes
    throw new GeometryError(reason)
  }

  #geometry(depth: number): number {
    const scanner = this.#scanner
    if (depth > maxDepth)
      throw new GeometryError(`Geometry collections are nested more than ${maxDepth} deep`)
    if (scanner.space() !== 0x7b) this.#refuse('A geometry is not an object')
    scanner.at += 1
    let typeCode = 0
    let bodyAt = -1
    let isWritten = false
    for (let isFirst = true; scanner.next(isFirst, 0x7d); isFirst = false) {
      const member = this.#passMemberName()
      if (member === 0) typeCode = this.readType()
      else if (typeCode > 0 && member === (typeCode === 7 ? 2 : 1)) {
        if (isWritten) throw new GeometryError('The geometry has its coordinates twice')
        this.#body(typeCode, depth)
        isWritten = true
      } else {
        if (typeCode === 0 && (member === 1 || member === 2)) bodyAt = scanner.at
        scanner.value()
      }
    }
    if (typeCode === 0) throw new GeometryError('The geometry has no "type"')
    if (!isWritten) this.#bodyBehind(typeCode, bodyAt, depth)
    return typeCode
  }

  /** Parses coordinates that precede the type. */
  #bodyBehind(typeCode: number, bodyAt: number, depth: number): void {
    const name = typeCode === 7 ? 'geometries' : 'coordinates'
    if (bodyAt < 0) throw new GeometryError(`The geometry has no "${name}"`)
    const behind = this.#scanner.at
    this.#scanner.at = bodyAt
    this.#body(typeCode, depth)
    this.#scanner.at = behind
  }

  #body(typeCode: number, depth: number): void {
    const isMulti = this.#isMulti && depth === 0 && typeCode <= 3
    if (!isMulti) {
      this.#bare(typeCode, depth)
      return
    }
    this.builder.header(typeCode + 3, this.#writesZ, false)
    if (this.#isEmptyArray()) {
      this.builder.count(0)
      return
    }
    this.builder.count(1)
    this.#bare(typeCode, depth)
  }

  #bare(typeCode: number, depth: number): void {
    this.builder.header(typeCode, this.#writesZ, false)
    if (typeCode === 1) this.#point()
    else if (typeCode === 2) this.#line()
    else if (typeCode === 3) this.#rings()
    else this.#parts(typeCode, depth)
  }

  /** Skips `[]`; true if it is there. */
  #isEmptyArray(): boolean {
    const scanner = this.#scanner
    const start = scanner.at
    if (scanner.bytes[start] === open) {
      scanner.at += 1
      if (scanner.space() === close) {
        scanner.at += 1
        return true
      }
      if (scanner.at >= scanner.end) throw outOfJsonBytes
    }
    scanner.at = start
    return false
  }

  #openArray(what: string): void {
    if (this.#scanner.space() !== open) this.#refuse(`${what} is not an array`)
    this.#scanner.at += 1
  }

  #point(): void {
    if (!this.#isEmptyArray()) {
      this.#position()
      return
    }
    for (let i = 2 + (this.#writesZ ? 1 : 0); i > 0; i -= 1) this.builder.ordinate(Number.NaN)
  }

  #positions(what: string): number {
    const scanner = this.#scanner
    this.#openArray(what)
    let count = 0
    for (; scanner.next(count === 0, close); count += 1) this.#position()
    return count
  }

  #line(): void {
    const at = this.builder.count(0)
    const count = this.#positions('A line')
    if (count === 1) throw new GeometryError('A line has only one position')
    this.builder.setCount(at, count)
  }

  #rings(): void {
    const at = this.builder.count(0)
    this.#openArray('A polygon')
    let rings = 0
    for (; this.#scanner.next(rings === 0, close); rings += 1) this.#ring()
    this.builder.setCount(at, rings)
  }

  #ring(): void {
    const scanner = this.#scanner
    const at = this.builder.count(0)
    this.#openArray('A ring')
    let count = 0
    let firstX = 0
    let firstY = 0
    for (; scanner.next(count === 0, close); count += 1) {
      this.#position()
      if (count === 0) {
        firstX = this.#x
        firstY = this.#y
      }
    }
    if (count < 4) throw new GeometryError(`A ring has ${count} positions, at least 4 are needed`)
    if (firstX !== this.#x || firstY !== this.#y) throw new GeometryError('A ring is not closed')
    this.builder.setCount(at, count)
  }

  #parts(typeCode: number, depth: number): void {
    const at = this.builder.count(0)
    this.#openArray(`A ${geometryNames[typeCode]}`)
    let parts = 0
    for (; this.#scanner.next(parts === 0, close); parts += 1) {
      if (typeCode === 7) this.#geometry(depth + 1)
      else this.#bare(typeCode - 3, depth)
    }
    this.builder.setCount(at, parts)
  }

  #position(): void {
    const scanner = this.#scanner
    this.#openArray('A position')
    const x = this.#number()
    if (scanner.space() !== 0x2c) this.#refuse('A position has fewer than two numbers')
    scanner.at += 1
    const y = this.#number()
    let z = 0
    let byte = scanner.space()
    if (byte === 0x2c) {
      scanner.at += 1
      z = this.#number()
      this.hasZ = true
      byte = scanner.space()
      if (byte === 0x2c) byte = this.#passRest()
    }
    if (byte !== close) this.#refuse('A position does not end behind its numbers')
    scanner.at += 1
    this.#x = x
    this.#y = y
    this.builder.coordinate(x, y)
    if (this.#writesZ) this.builder.ordinate(z)
  }

  #passRest(): number {
    const scanner = this.#scanner
    this.longPositions += 1
    let byte = scanner.space()
    for (; byte === 0x2c; byte = scanner.space()) {
      scanner.at += 1
      this.#number()
    }
    return byte
  }

  #notFinite(): GeometryError {
    const isWord = this.#scanner.notFinite.length > 0
    return new GeometryError(
      isWord ? 'A coordinate is NaN or infinite' : 'A coordinate is beyond the range of numbers',
    )
  }

  #number(): number {
    const scanner = this.#scanner
    const byte = scanner.space()
    if (byte !== 0x2d && (byte < 0x30 || byte > 0x39) && !scanner.isAtNotFinite)
      this.#refuse('A position holds something else than numbers')
    const value = scanner.number()
    if (!Number.isFinite(value)) throw this.#notFinite()
    return value
  }
}
