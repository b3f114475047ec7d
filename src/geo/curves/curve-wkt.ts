import { GeometryError } from '../wkb.ts'
import { isLetter, WktTokens } from '../wkt-tokens.ts'
import type { CurveTree } from './curve-tree.ts'
import {
  circularString,
  compoundCurve,
  curvePolygon,
  multiCurve,
  multiSurface,
  polyhedralSurface,
  tin,
  triangle,
} from './curve-tree.ts'
import { writeTree } from './curve-wkb.ts'
import { linearize } from './linearize.ts'

const maxDepth = 30
const [open, comma] = [0x28, 0x2c]
const curveWords =
  /\b(CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|MULTICURVE|MULTISURFACE|POLYHEDRALSURFACE|TIN|TRIANGLE)/i

const codes = new Map<string, number>([
  ['POINT', 1],
  ['LINESTRING', 2],
  ['POLYGON', 3],
  ['MULTIPOINT', 4],
  ['MULTILINESTRING', 5],
  ['MULTIPOLYGON', 6],
  ['GEOMETRYCOLLECTION', 7],
  ['CIRCULARSTRING', circularString],
  ['COMPOUNDCURVE', compoundCurve],
  ['CURVEPOLYGON', curvePolygon],
  ['MULTICURVE', multiCurve],
  ['MULTISURFACE', multiSurface],
  ['POLYHEDRALSURFACE', polyhedralSurface],
  ['TIN', tin],
  ['TRIANGLE', triangle],
])
/** Type of a part without a keyword, by its parent's type. */
const plainParts: Record<number, number> = {
  3: 2,
  4: 1,
  5: 2,
  6: 3,
  [compoundCurve]: 2,
  [curvePolygon]: 2,
  [multiCurve]: 2,
  [multiSurface]: 3,
  [polyhedralSurface]: 3,
  [tin]: 3,
  [triangle]: 2,
}

/** True if a text may be WKT of curves or surfaces. */
export function mayBeCurveWkt(text: string): boolean {
  return curveWords.test(text)
}

/** The ISO WKB of straight lines of WKT with curves or surfaces, without SRID. Throws `GeometryError`. */
export function linearWkbOfWkt(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const reader = new CurveWktReader(bytes, start, end)
  const tree = linearize(reader.whole())
  const isMeasured = reader.isMeasured && reader.ordinates === 3
  return writeTree(tree, reader.ordinates > 2 && !isMeasured, isMeasured || reader.ordinates === 4)
}

class CurveWktReader {
  /** Ordinates per position; 0 until the first position is read. */
  ordinates = 0
  isMeasured = false
  readonly #tokens = new WktTokens()

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#tokens.begin(bytes, start, end)
  }

  whole(): CurveTree {
    const tree = this.#geometry(0)
    if (this.#tokens.space() !== 0) this.#tokens.fail('the end was expected')
    if (this.ordinates === 0) this.ordinates = 2
    return tree
  }

  #geometry(depth: number): CurveTree {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    const word = this.#tokens.word()
    const name = codes.has(word) ? word : word.replace(/(ZM|Z|M)$/, '')
    const typeCode = codes.get(name)
    if (typeCode === undefined) return this.#tokens.fail('a geometry type was expected')
    this.#dimensions(word.slice(name.length))
    return this.#body(typeCode, depth)
  }

  #dimensions(suffix: string): void {
    const { at } = this.#tokens
    let word = suffix
    if (word === '' && isLetter(this.#tokens.space())) word = this.#tokens.word()
    if (word !== 'Z' && word !== 'M' && word !== 'ZM') {
      this.#tokens.at = at
      return
    }
    this.ordinates = word === 'ZM' ? 4 : 3
    this.isMeasured = word === 'M'
  }

  #body(typeCode: number, depth: number): CurveTree {
    const isLine = typeCode === 1 || typeCode === 2 || typeCode === circularString
    if (isLetter(this.#tokens.space())) {
      if (this.#tokens.word() !== 'EMPTY') this.#tokens.fail('EMPTY or "(" was expected')
      return isLine ? { typeCode, positions: [] } : { typeCode, parts: [] }
    }
    this.#tokens.expect(open)
    const positions: number[][] = []
    const parts: CurveTree[] = []
    do {
      if (isLine) positions.push(this.#position())
      else parts.push(this.#part(typeCode, depth + 1))
    } while (this.#tokens.take(comma))
    this.#tokens.expect(0x29)
    return isLine ? { typeCode, positions } : { typeCode, parts }
  }

  #part(typeCode: number, depth: number): CurveTree {
    if (depth > maxDepth) throw new GeometryError(`Geometry is nested more than ${maxDepth} deep`)
    const plain = plainParts[typeCode]
    const isWord = isLetter(this.#tokens.space())
    if (plain === undefined || (isWord && !this.#isEmptyNext())) return this.#geometry(depth)
    if (plain === 1 && this.#tokens.space() !== open) return { typeCode: 1, positions: [this.#position()] }
    return this.#body(plain, depth)
  }

  #isEmptyNext(): boolean {
    const { at } = this.#tokens
    const isEmpty = this.#tokens.word() === 'EMPTY'
    this.#tokens.at = at
    return isEmpty
  }

  #position(): number[] {
    const position = [this.#tokens.number(), this.#tokens.number()]
    while (position.length < 4 && this.#tokens.isNumberNext()) position.push(this.#tokens.number())
    if (this.ordinates === 0) this.ordinates = position.length
    if (position.length !== this.ordinates) this.#tokens.fail(`${this.ordinates} ordinates were expected`)
    return position
  }
}
