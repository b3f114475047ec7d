import { asciiText } from '../core/values/decimal.ts'
import { linearWkbOfWkt, mayBeCurveWkt } from './curves/curve-wkt.ts'
import type { GeometryBuilder } from './geometry-builder.ts'
import type { GeometryShape } from './geometry-shape.ts'
import { GeometryError, geometryTypeName } from './wkb.ts'
import { writeGeometryText } from './wkb-to-wkt.ts'
import { isLetter, WktTokens } from './wkt-tokens.ts'

const wktBeginning =
  /^\s*(SRID\s*=\s*\d+\s*;\s*)?((MULTI)?(POINT|LINESTRING|POLYGON|CURVE|SURFACE)|GEOMETRYCOLLECTION|CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|POLYHEDRALSURFACE|TIN|TRIANGLE)\s*((ZM|Z|M)\s*)?(\(|EMPTY)/i
const maxDepth = 30
const open = 0x28
const close = 0x29
const comma = 0x2c
/** Upper-case words by WKB type code. */
const words = [1, 2, 3, 4, 5, 6, 7].map((code) => geometryTypeName(code).toUpperCase())

/**
 * Reads WKT (OGC 06-103r4 section 7) and EWKT (`SRID=4326;POINT(1 2)`; `POINT(1 2 3)` has Z, a fourth ordinate is M)
 * from bytes straight into a geometry builder. Letter case and blanks do not matter.
 */
export class WktReader {
  /** Type of the last geometry, before conversion to the column's type. */
  typeCode = 0
  hasZ = false
  hasM = false
  /** Its SRID, 0 without one. */
  srid = 0
  /** True if it is a curve or a surface in the text. */
  isCurve = false
  readonly #tokens = new WktTokens()
  #builder: GeometryBuilder | undefined
  readonly #shape: GeometryShape
  /** The last position that was read. */
  readonly #ordinates = new Float64Array(4)
  /** Number of ordinates; 0 until the first position or keyword determines it. */
  #dimensions = 0
  #isMeasured = false

  constructor(shape: GeometryShape) {
    this.#shape = shape
  }

  /**
   * Appends the geometry in `bytes[start, end)`, curves as short straight lines; throws `GeometryError` and leaves the
   * builder as it was.
   */
  read(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): void {
    this.isCurve = false
    try {
      this.#read(bytes, start, end, builder)
    } catch (error) {
      const text = asciiText(bytes, start, end)
      if (!(error instanceof GeometryError && mayBeCurveWkt(text))) throw error
      const srid = /^\s*SRID\s*=\s*\d+\s*;/i.exec(text)?.[0] ?? ''
      const linear = writeGeometryText(linearWkbOfWkt(bytes, start + srid.length, end))
      const plain = Buffer.from(srid + linear)
      this.#read(plain, 0, plain.length, builder)
      this.isCurve = true
    }
  }

  #read(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): void {
    this.#tokens.begin(bytes, start, end)
    this.#builder = builder
    this.#dimensions = 0
    this.#isMeasured = false
    this.srid = 0
    try {
      if (this.#tokens.word() === 'SRID') this.#readSrid()
      else this.#tokens.at = start
      this.typeCode = this.#geometry(0)
      if (this.#tokens.space() !== 0) this.#tokens.fail('the end was expected')
    } catch (error) {
      builder.abandon()
      throw error
    }
    this.hasZ = this.#dimensions === 4 || (this.#dimensions === 3 && !this.#isMeasured)
    this.hasM = this.#dimensions === 4 || (this.#dimensions === 3 && this.#isMeasured)
    builder.endGeometry()
  }

  get #target(): GeometryBuilder {
    return this.#builder as GeometryBuilder
  }

  #readSrid(): void {
    this.#tokens.expect(0x3d)
    const srid = this.#tokens.number()
    if (!(Number.isInteger(srid) && srid >= 0 && srid < 1e6)) this.#tokens.fail('an SRID was expected')
    this.srid = srid
    this.#tokens.expect(0x3b)
  }

  #geometry(depth: number): number {
    if (depth > maxDepth)
      throw new GeometryError(`Geometry collections are nested more than ${maxDepth} deep`)
    const start = this.#tokens.at
    const word = this.#tokens.word()
    const typeCode = this.#typeOf(word)
    if (typeCode === 0) {
      this.#tokens.at = start
      this.#tokens.fail('a geometry type was expected')
    }
    const isEmpty = this.#dimensionsAndEmpty(word.slice((words[typeCode - 1] as string).length))
    if (this.#shape.isMulti && depth === 0 && typeCode <= 3) {
      this.#header(typeCode + 3)
      this.#target.count(isEmpty ? 0 : 1)
      if (isEmpty) return typeCode
    }
    this.#header(typeCode)
    if (isEmpty) this.#emptyBody(typeCode)
    else this.#body(typeCode, depth)
    return typeCode
  }

  #typeOf(word: string): number {
    for (let code = 7; code >= 1; code -= 1) {
      const name = words[code - 1] as string
      if (word === name || word === `${name}Z` || word === `${name}M` || word === `${name}ZM`) return code
    }
    return 0
  }

  /** Reads `Z`, `M`, `ZM` (`suffix` when it was written without a blank) and `EMPTY`; true when empty. */
  #dimensionsAndEmpty(suffix: string): boolean {
    let word = suffix
    if (word === '' && isLetter(this.#tokens.space())) word = this.#tokens.word()
    if (word === 'EMPTY') return true
    if (word !== '') {
      if (word !== 'Z' && word !== 'M' && word !== 'ZM')
        this.#tokens.fail('Z, M, ZM, EMPTY or "(" was expected')
      this.#setDimensions(word === 'ZM' ? 4 : 3, word === 'M')
      if (isLetter(this.#tokens.space())) {
        if (this.#tokens.word() !== 'EMPTY') this.#tokens.fail('EMPTY or "(" was expected')
        return true
      }
    }
    return false
  }

  #setDimensions(count: number, isMeasured: boolean): void {
    if (this.#dimensions !== 0 && (this.#dimensions !== count || this.#isMeasured !== isMeasured)) {
      this.#tokens.fail(`${this.#dimensions} ordinates were expected as before`)
    }
    this.#dimensions = count
    this.#isMeasured = isMeasured
  }

  #header(typeCode: number): void {
    this.#target.header(typeCode, this.#shape.hasZ, this.#shape.hasM)
  }

  #emptyBody(typeCode: number): void {
    const { hasZ, hasM } = this.#shape
    if (typeCode !== 1) this.#target.count(0)
    else for (let i = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0); i > 0; i -= 1) this.#target.ordinate(Number.NaN)
  }

  #body(typeCode: number, depth: number): void {
    this.#tokens.expect(open)
    if (typeCode === 1) {
      this.#position()
      this.#tokens.expect(close)
      return
    }
    const at = this.#target.count(0)
    let count = 0
    do {
      this.#part(typeCode, depth)
      count += 1
    } while (this.#tokens.take(comma))
    this.#tokens.expect(close)
    if (typeCode === 2 && count === 1) throw new GeometryError('A line has only one position')
    this.#target.setCount(at, count)
  }

  #part(typeCode: number, depth: number): void {
    if (typeCode === 2) this.#position()
    else if (typeCode === 3) this.#ring()
    else if (typeCode === 7) this.#geometry(depth + 1)
    else if (typeCode === 4) this.#pointOfMulti()
    else {
      this.#header(typeCode - 3)
      if (this.#isEmptyWord()) this.#emptyBody(typeCode - 3)
      else this.#body(typeCode - 3, depth)
    }
  }

  #isEmptyWord(): boolean {
    if (!isLetter(this.#tokens.space())) return false
    if (this.#tokens.word() !== 'EMPTY') this.#tokens.fail('EMPTY or "(" was expected')
    return true
  }

  /** `MULTIPOINT((1 2),(3 4))` and `MULTIPOINT(1 2,3 4)` are the same. */
  #pointOfMulti(): void {
    this.#header(1)
    if (this.#isEmptyWord()) {
      this.#emptyBody(1)
      return
    }
    const isWrapped = this.#tokens.take(open)
    this.#position()
    if (isWrapped) this.#tokens.expect(close)
  }

  #ring(): void {
    this.#tokens.expect(open)
    const at = this.#target.count(0)
    const ordinates = this.#ordinates
    let count = 0
    let firstX = 0
    let firstY = 0
    do {
      this.#position()
      if (count === 0) {
        firstX = ordinates[0] as number
        firstY = ordinates[1] as number
      }
      count += 1
    } while (this.#tokens.take(comma))
    this.#tokens.expect(close)
    if (count < 4) throw new GeometryError(`A ring has ${count} positions, at least 4 are needed`)
    if (firstX !== ordinates[0] || firstY !== ordinates[1]) throw new GeometryError('A ring is not closed')
    this.#target.setCount(at, count)
  }

  #position(): void {
    const ordinates = this.#ordinates
    let count = 0
    do {
      ordinates[count] = this.#tokens.number()
      count += 1
    } while (count < 4 && this.#tokens.isNumberNext())
    if (count < 2) this.#tokens.fail('a second ordinate was expected')
    if (count !== this.#dimensions) this.#setDimensions(count, false)
    const { hasZ, hasM } = this.#shape
    this.#target.coordinate(ordinates[0] as number, ordinates[1] as number)
    const isOnlyMeasured = count === 3 && this.#isMeasured
    if (hasZ) this.#target.ordinate(count >= 3 && !isOnlyMeasured ? (ordinates[2] as number) : 0)
    if (hasM)
      this.#target.ordinate(
        count === 4 ? (ordinates[3] as number) : isOnlyMeasured ? (ordinates[2] as number) : 0,
      )
  }
}

/** True if a text begins like WKT or EWKT: a cheap test for finding geometry columns. */
export function looksLikeWkt(text: string): boolean {
  return wktBeginning.test(text)
}
