import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { wkbTypeNumber } from '../../geo/wkb.ts'
import { RowError } from '../reject-writer.ts'
import type { RowSink } from '../xml/row-sink.ts'
import type { TextToken, XmlScanner } from '../xml/xml-scanner.ts'
import { fieldOfElement, kmlField } from './kml-fields.ts'
import type { KmlWord } from './kml-words.ts'
import { words, wordTable } from './kml-words.ts'
import { PositionReader } from './positions.ts'

/** WKB type codes; 7 is any collection, 0 an element without geometry. */
const typeCodes: Partial<Record<KmlWord, number>> = {
  Point: 1,
  LineString: 2,
  LinearRing: 2,
  Track: 2,
  Polygon: 3,
  MultiTrack: 7,
  MultiGeometry: 7,
  GeometryCollection: 7,
  MultiPoint: 7,
  MultiLineString: 7,
  MultiPolygon: 7,
  Model: 0,
}
const typeCodeOf = words.map((word) => typeCodes[word] ?? -1)
const modifierOf = words.map((word) => {
  const isModifier =
    word === 'altitudeMode' || word === 'tessellate' || word === 'extrude' || word === 'drawOrder'
  const field = isModifier ? fieldOfElement[word] : undefined
  return field === undefined ? -1 : kmlField(field)
})
const indexOf = (word: KmlWord): number => words.indexOf(word)
const track = indexOf('Track')
const coordinates = indexOf('coordinates')
const coord = indexOf('coord')
const when = indexOf('when')
const ring = indexOf('LinearRing')
const outer = indexOf('outerBoundaryIs')
const inner = indexOf('innerBoundaryIs')

/**
 * Writes the geometry elements of KML (OGC 12-007r2, section 10) as WKB. A collection whose parts, including
 * nested ones, have the same type becomes the multi type; an open ring is closed; a track is a line.
 */
export class GeometryReader {
  /** Number of closed rings of the last geometry. */
  closedRings = 0
  /** True if the last geometry has no position. */
  isEmpty = false
  /** Times of the first and last position of the last track. */
  begin: TextToken | undefined
  end: TextToken | undefined
  readonly #scanner: XmlScanner
  readonly #positions = new PositionReader()
  #sink: RowSink | undefined
  #firstX = 0
  #firstY = 0
  #firstZ = 0
  #parts = 0
  #partTypes = 0
  readonly #takeFirst = ({ x, y, z }: PositionReader): void => {
    this.#firstX = x
    this.#firstY = y
    this.#firstZ = z
  }

  constructor(scanner: XmlScanner) {
    this.#scanner = scanner
  }

  /** True if an element with this name is a geometry. */
  isGeometry(word: number): boolean {
    return (typeCodeOf[word] ?? -1) >= 0
  }

  /** Appends the current geometry element; returns its type code, or 0 if it contains no geometry. */
  read(word: number, sink: RowSink): number {
    this.#sink = sink
    this.#positions.hasZ = false
    this.closedRings = 0
    this.isEmpty = false
    this.begin = undefined
    this.end = undefined
    const { builder, shape } = sink
    const typeCode = typeCodeOf[word] as number
    if (typeCode === 0) {
      this.#scanner.skip()
      return 0
    }
    if (typeCode === 7) return this.#collection(builder, shape.hasZ)
    if (shape.isMulti) {
      builder.header(typeCode + 3, shape.hasZ, false)
      builder.count(1)
    }
    this.isEmpty = this.#single(word, builder, shape.hasZ) === 0
    builder.endGeometry()
    sink.geometry(typeCode, this.#positions.hasZ)
    return typeCode
  }

  #collection(builder: GeometryBuilder, writesZ: boolean): number {
    builder.header(7, writesZ, false)
    const typeAt = builder.byteLength - 4
    const countAt = builder.count(0)
    this.#parts = 0
    this.#partTypes = 0
    this.#members(builder, writesZ)
    if (this.#parts === 0) {
      builder.abandon()
      return 0
    }
    let typeCode = 7
    for (let part = 1; part <= 3; part += 1) if (this.#partTypes === 1 << part) typeCode = part + 3
    builder.setCount(typeAt, wkbTypeNumber(typeCode, writesZ, false))
    builder.setCount(countAt, this.#parts)
    builder.endGeometry()
    this.#sink?.geometry(typeCode, this.#positions.hasZ)
    return typeCode
  }

  #members(builder: GeometryBuilder, writesZ: boolean): void {
    const scanner = this.#scanner
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      const typeCode = typeCodeOf[word] ?? -1
      if (typeCode === 7) this.#members(builder, writesZ)
      else if (typeCode > 0) {
        this.#parts += 1
        this.#partTypes |= 1 << typeCode
        this.#single(word, builder, writesZ)
      } else this.#modifier(word)
    }
  }

  /** Writes one geometry; returns its number of positions or rings. */
  #single(word: number, builder: GeometryBuilder, writesZ: boolean): number {
    const typeCode = typeCodeOf[word] as number
    builder.header(typeCode, writesZ, false)
    if (typeCode === 1) return this.#point(builder, writesZ)
    if (typeCode === 3) return this.#polygon(builder, writesZ)
    if (word === track) return this.#track(builder, writesZ)
    const count = this.#line(builder, writesZ)
    if (count === 1) throw new RowError('A line has only one position', { field: 'geometry' })
    return count
  }

  /** Reads elements that define how a geometry is drawn; skips all others. */
  #modifier(word: number): void {
    const field = modifierOf[word] ?? -1
    if (field < 0) {
      this.#scanner.skip()
      return
    }
    this.#scanner.text()
    this.#sink?.value(field, this.#scanner)
  }

  #point(builder: GeometryBuilder, writesZ: boolean): number {
    const scanner = this.#scanner
    let count = 0
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word === coordinates) {
        scanner.text()
        count += this.#positions.readAll(scanner, builder, writesZ, this.#takeFirst)
      } else this.#modifier(word)
    }
    if (count > 1) throw new RowError(`A point has ${count} positions`, { field: 'geometry' })
    if (count === 0) for (let i = writesZ ? 3 : 2; i > 0; i -= 1) builder.ordinate(Number.NaN)
    return count
  }

  /** Writes the positions of a line or ring after their number; returns the number. */
  #line(builder: GeometryBuilder, writesZ: boolean): number {
    const scanner = this.#scanner
    const at = builder.count(0)
    let count = 0
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word === coordinates) {
        if (count > 0) throw new RowError('A line has its coordinates twice', { field: 'geometry' })
        scanner.text()
        count = this.#positions.readAll(scanner, builder, writesZ, this.#takeFirst)
      } else this.#modifier(word)
    }
    builder.setCount(at, count)
    return count
  }

  #polygon(builder: GeometryBuilder, writesZ: boolean): number {
    const scanner = this.#scanner
    const at = builder.count(0)
    let rings = 0
    let hasOuter = false
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word === outer) {
        if (rings > 0)
          throw new RowError('The outer ring of a polygon is not its first', { field: 'geometry' })
        rings += this.#boundary(builder, writesZ)
        hasOuter = rings === 1
        if (rings > 1) throw new RowError('A polygon has two outer rings', { field: 'geometry' })
      } else if (word === inner) {
        if (!hasOuter) throw new RowError('A polygon has a hole before its outer ring', { field: 'geometry' })
        rings += this.#boundary(builder, writesZ)
      } else this.#modifier(word)
    }
    builder.setCount(at, rings)
    return rings
  }

  /** Reads the rings of a boundary: one, or several holes in a file of KML 2.0. */
  #boundary(builder: GeometryBuilder, writesZ: boolean): number {
    const scanner = this.#scanner
    let rings = 0
    while (scanner.child()) {
      if (scanner.word(wordTable) !== ring) {
        scanner.skip()
        continue
      }
      const at = builder.byteLength
      let count = this.#line(builder, writesZ)
      const { x, y } = this.#positions
      if (count > 0 && (x !== this.#firstX || y !== this.#firstY)) {
        builder.coordinate(this.#firstX, this.#firstY)
        if (writesZ) builder.ordinate(this.#firstZ)
        count += 1
        this.closedRings += 1
        builder.setCount(at, count)
      }
      if (count < 4) {
        throw new RowError(`A ring has ${count} positions, at least 4 are needed`, { field: 'geometry' })
      }
      rings += 1
    }
    return rings
  }

  /**
   * Reads the positions of a gx:Track (OGC 12-007r2, section 10.12), in order; an empty gx:coord is a missing
   * measurement.
   */
  #track(builder: GeometryBuilder, writesZ: boolean): number {
    const scanner = this.#scanner
    const positions = this.#positions
    const at = builder.count(0)
    let count = 0
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word === coord) {
        scanner.text()
        if (!positions.readCoord(scanner)) continue
        builder.coordinate(positions.x, positions.y)
        if (writesZ) builder.ordinate(positions.z)
        count += 1
      } else if (word === when) {
        scanner.text()
        this.end = copyOf(scanner)
        this.begin ??= this.end
      } else this.#modifier(word)
    }
    if (count === 1) throw new RowError('A track has only one position', { field: 'geometry' })
    builder.setCount(at, count)
    return count
  }
}

function copyOf({ textBytes, textStart, textEnd, isAscii }: TextToken): TextToken {
  const copy = Uint8Array.from(textBytes.subarray(textStart, textEnd))
  return { textBytes: copy, textStart: 0, textEnd: copy.length, isAscii }
}
