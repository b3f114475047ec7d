import { RowError } from '../reject-writer.ts'
import { DecimalReader } from '../xml/decimal-reader.ts'
import type { RowParser, RowSink } from '../xml/row-sink.ts'
import type { TextToken, XmlScanner } from '../xml/xml-scanner.ts'
import type { Counter } from './counter.ts'
import { gpxField } from './gpx-fields.ts'
import { MemberReader } from './member-reader.ts'

const longitude = new TextEncoder().encode('lon')
const latitude = new TextEncoder().encode('lat')
const elevation = gpxField('ele')

/** Reads the position of a point: its attributes, and `ele` if present. */
export class PointPosition {
  x = 0
  y = 0
  z = 0
  hasZ = false
  readonly #decimals = new DecimalReader()

  /** Starts with the current element. */
  begin(scanner: XmlScanner): void {
    this.x = this.#coordinate(scanner, longitude, 'lon')
    this.y = this.#coordinate(scanner, latitude, 'lat')
    this.z = 0
    this.hasZ = false
  }

  /** Reads the elevation; ignores an empty one. */
  elevate(text: TextToken): void {
    if (text.textStart === text.textEnd) return
    this.z = this.#number(text, 'ele')
    this.hasZ = true
  }

  #coordinate(scanner: XmlScanner, word: Uint8Array, field: string): number {
    if (!scanner.attribute(word)) throw new RowError(`The point has no "${field}"`, { field })
    return this.#number(scanner, field)
  }

  #number({ textBytes, textStart, textEnd }: TextToken, field: string): number {
    const value = this.#decimals.read(textBytes, textStart)
    if (Number.isFinite(value) && this.#decimals.end === textEnd) return value
    const found = Buffer.from(textBytes.subarray(textStart, Math.min(textEnd, textStart + 200))).toString(
      'utf8',
    )
    throw new RowError(`"${field}" is not a number`, { field, value: found })
  }
}

/** Reads a waypoint or a point of a route or track (GPX 1.1, `wptType`). */
export class PointParser implements RowParser {
  /** Counters of the elements that contain the point. */
  readonly counters: readonly Counter[]
  readonly #scanner: XmlScanner
  readonly #members: MemberReader
  readonly #position = new PointPosition()

  constructor(scanner: XmlScanner, counters: readonly Counter[]) {
    this.#scanner = scanner
    this.counters = counters
    this.#members = new MemberReader(scanner)
  }

  parse(sink: RowSink): void {
    const scanner = this.#scanner
    const position = this.#position
    position.begin(scanner)
    this.#members.begin()
    for (const counter of this.counters) sink.value(counter.field, counter)
    while (scanner.child()) if (this.#members.read(sink) === elevation) position.elevate(scanner)
    const { builder, shape } = sink
    builder.header(1, shape.hasZ, false)
    builder.coordinate(position.x, position.y)
    if (shape.hasZ) builder.ordinate(position.z)
    builder.endGeometry()
    sink.geometry(1, position.hasZ)
  }
}
