import { RowError } from '../reject-writer.ts'
import type { RowParser, RowSink } from '../xml/row-sink.ts'
import type { TextToken, XmlScanner } from '../xml/xml-scanner.ts'
import { GeometryReader } from './geometry-reader.ts'
import { fieldOfElement, kmlField } from './kml-fields.ts'
import type { KmlWord } from './kml-words.ts'
import { words, wordTable } from './kml-words.ts'

const nameWord = new TextEncoder().encode('name')
const idWord = new TextEncoder().encode('id')
const isTime = (word: KmlWord): boolean => word === 'when' || word === 'begin' || word === 'end'
/** Field of an element of a placemark, and of its TimeStamp or TimeSpan. */
const memberFields = words.map((word) => (isTime(word) ? -1 : knownField(word)))
const timeFields = words.map((word) => (isTime(word) ? knownField(word) : -1))
const indexOf = (word: KmlWord): number => words.indexOf(word)
const timeStamp = indexOf('TimeStamp')
const timeSpan = indexOf('TimeSpan')
const extendedData = indexOf('ExtendedData')
const schemaData = indexOf('SchemaData')
const simpleData = indexOf('SimpleData')
const data = indexOf('Data')
const valueElement = indexOf('value')
const placemarkId = kmlField('placemarkId')
const folderField = kmlField('Folder')
const begin = kmlField('begin')
const end = kmlField('end')

function knownField(word: KmlWord): number {
  const name = fieldOfElement[word]
  return name === undefined ? -1 : kmlField(name)
}

/** Reads placemarks (OGC 12-007r2, section 9.11). */
export class PlacemarkParser implements RowParser {
  /** Path of the folders of the placemark; undefined if there are none. */
  folder: TextToken | undefined
  /** True for an element that a KML 2.0 schema derives from Placemark: its own elements are fields too. */
  isDerived = false
  readonly geometry: GeometryReader
  readonly #scanner: XmlScanner
  #hasGeometry = false
  #isEmpty = false
  /** Number of geometries before that of this placemark. */
  #rows = 0
  #hasTime = false

  constructor(scanner: XmlScanner) {
    this.#scanner = scanner
    this.geometry = new GeometryReader(scanner)
  }

  parse(sink: RowSink): void {
    const scanner = this.#scanner
    this.#hasGeometry = false
    this.#isEmpty = false
    this.#rows = sink.builder.length
    this.#hasTime = false
    if (scanner.attribute(idWord)) sink.value(placemarkId, scanner)
    if (this.folder !== undefined) sink.value(folderField, this.folder)
    while (scanner.child()) this.#member(sink)
    const track = this.geometry
    if (!this.#hasGeometry || this.#hasTime || track.begin === undefined || track.end === undefined) return
    sink.value(begin, track.begin)
    sink.value(end, track.end)
  }

  #member(sink: RowSink): void {
    const scanner = this.#scanner
    const word = scanner.word(wordTable)
    const field = memberFields[word] ?? -1
    if (field >= 0) {
      scanner.text()
      sink.value(field, scanner)
    } else if (this.geometry.isGeometry(word)) {
      this.#geometry(word, sink)
    } else if (word === extendedData) this.#extendedData(sink)
    else if (word === timeStamp || word === timeSpan) this.#time(sink)
    else if (word < 0 && this.isDerived) this.#named(sink)
    else scanner.skip()
  }

  /**
   * A list of visited places contains a point and a track for each, one of them without positions: the other
   * is used.
   */
  #geometry(word: number, sink: RowSink): void {
    const { builder } = sink
    if (this.#hasGeometry && this.#isEmpty) builder.truncate(this.#rows)
    const before = builder.length
    const isRead = this.geometry.read(word, sink) > 0
    if (!isRead) return
    if (this.#hasGeometry && !this.#isEmpty) {
      if (!this.geometry.isEmpty)
        throw new RowError('The placemark has two geometries', { field: 'geometry' })
      builder.truncate(before)
      return
    }
    this.#hasGeometry = true
    this.#isEmpty = this.geometry.isEmpty
  }

  #time(sink: RowSink): void {
    const scanner = this.#scanner
    this.#hasTime = true
    while (scanner.child()) {
      const field = timeFields[scanner.word(wordTable)] ?? -1
      if (field < 0) scanner.skip()
      else {
        scanner.text()
        sink.value(field, scanner)
      }
    }
  }

  /** Reads typed and untyped data (OGC 12-007r2, section 9.2), and elements of other namespaces. */
  #extendedData(sink: RowSink): void {
    const scanner = this.#scanner
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word === schemaData) {
        while (scanner.child()) {
          if (scanner.word(wordTable) === simpleData) this.#simpleData(sink)
          else scanner.skip()
        }
      } else if (word === data) this.#data(sink)
      else if (word < 0) this.#named(sink)
      else scanner.skip()
    }
  }

  #simpleData(sink: RowSink): void {
    const scanner = this.#scanner
    const field = scanner.attribute(nameWord) ? sink.field(scanner) : -1
    scanner.text()
    if (field >= 0) sink.value(field, scanner)
  }

  #data(sink: RowSink): void {
    const scanner = this.#scanner
    const field = scanner.attribute(nameWord) ? sink.field(scanner) : -1
    while (scanner.child()) {
      if (field < 0 || scanner.word(wordTable) !== valueElement) scanner.skip()
      else {
        scanner.text()
        sink.value(field, scanner)
      }
    }
  }

  /** Reads an element whose name is the field name. */
  #named(sink: RowSink): void {
    const scanner = this.#scanner
    scanner.name()
    const field = sink.field(scanner)
    scanner.text()
    if (field >= 0) sink.value(field, scanner)
  }
}
