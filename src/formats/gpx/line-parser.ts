import type { RowParser, RowSink } from '../xml/row-sink.ts'
import type { XmlScanner } from '../xml/xml-scanner.ts'
import { words, wordTable } from './gpx-words.ts'
import { MemberReader } from './member-reader.ts'
import { PointPosition } from './point-parser.ts'

const routePoint = words.indexOf('rtept')
const trackPoint = words.indexOf('trkpt')
const segment = words.indexOf('trkseg')
const elevation = words.indexOf('ele')

/**
 * Reads a route as a line, or a track as one line per segment. A line needs two points; shorter ones are
 * omitted.
 */
export class GpxLineParser implements RowParser {
  /** Number of segments and routes of the last row with a single point. */
  shortLines = 0
  readonly #scanner: XmlScanner
  readonly #members: MemberReader
  readonly #position = new PointPosition()
  #hasZ = false
  #count = 0
  #countAt = 0
  #lines = 0
  #firstX = 0
  #firstY = 0
  #firstZ = 0

  constructor(scanner: XmlScanner) {
    this.#scanner = scanner
    this.#members = new MemberReader(scanner)
  }

  parse(sink: RowSink): void {
    const scanner = this.#scanner
    const { builder, shape } = sink
    const isTrack = scanner.word(wordTable) === words.indexOf('trk')
    this.shortLines = 0
    this.#hasZ = false
    this.#lines = 0
    this.#count = 0
    this.#members.begin()
    if (isTrack) builder.header(5, shape.hasZ, false)
    const linesAt = isTrack ? builder.count(0) : 0
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word === segment) this.#segment(sink)
      else if (word === routePoint) this.#point(sink)
      else this.#members.read(sink)
    }
    if (!isTrack) this.#endLine(sink)
    if (this.#lines === 0) {
      builder.abandon()
      return
    }
    if (isTrack) builder.setCount(linesAt, this.#lines)
    builder.endGeometry()
    sink.geometry(isTrack ? 5 : 2, this.#hasZ)
  }

  #segment(sink: RowSink): void {
    const scanner = this.#scanner
    this.#count = 0
    while (scanner.child()) {
      if (scanner.word(wordTable) === trackPoint) this.#point(sink)
      else scanner.skip()
    }
    this.#endLine(sink)
  }

  #endLine({ builder }: RowSink): void {
    if (this.#count === 1) this.shortLines += 1
    if (this.#count < 2) return
    builder.setCount(this.#countAt, this.#count)
    this.#lines += 1
  }

  /** The first point is written together with the second, so that a single point leaves nothing. */
  #point({ builder, shape }: RowSink): void {
    const scanner = this.#scanner
    const position = this.#position
    position.begin(scanner)
    while (scanner.child()) {
      if (scanner.word(wordTable) !== elevation) {
        scanner.skip()
        continue
      }
      scanner.text()
      position.elevate(scanner)
    }
    this.#count += 1
    if (this.#count === 1) {
      this.#firstX = position.x
      this.#firstY = position.y
      this.#firstZ = position.z
      this.#hasZ ||= position.hasZ
      return
    }
    if (this.#count === 2) {
      builder.header(2, shape.hasZ, false)
      this.#countAt = builder.count(0)
      builder.coordinate(this.#firstX, this.#firstY)
      if (shape.hasZ) builder.ordinate(this.#firstZ)
    }
    builder.coordinate(position.x, position.y)
    if (shape.hasZ) builder.ordinate(position.z)
    this.#hasZ ||= position.hasZ
  }
}
