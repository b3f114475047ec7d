import type { RowSink } from '../xml/row-sink.ts'
import type { TextToken, XmlScanner } from '../xml/xml-scanner.ts'
import type { GpxField } from './gpx-fields.ts'
import { gpxField } from './gpx-fields.ts'
import { fieldWords, words, wordTable } from './gpx-words.ts'

const fieldOfWord = words.map((word) => {
  const name: GpxField | undefined = fieldWords.find((field) => field === word)
  return name === undefined ? -1 : gpxField(name)
})
const link = words.indexOf('link')
const textWord = words.indexOf('text')
const typeWord = words.indexOf('type')
const extensions = words.indexOf('extensions')
const href = new TextEncoder().encode('href')
const linkFields = (['link1_href', 'link2_href'] as const).map(gpxField)

/** Reads the common elements of points, routes and tracks: plain elements, links and extensions. */
export class MemberReader {
  readonly #scanner: XmlScanner
  #links = 0

  constructor(scanner: XmlScanner) {
    this.#scanner = scanner
  }

  /** Starts a row. */
  begin(): void {
    this.#links = 0
  }

  /**
   * Reads the current element. Returns its field number if its text is a value, which then is the current
   * text.
   */
  read(sink: RowSink): number {
    const scanner = this.#scanner
    const word = scanner.word(wordTable)
    const field = fieldOfWord[word] ?? -1
    if (field >= 0) {
      scanner.text()
      sink.value(field, scanner)
    } else if (word === link) this.#link(sink)
    else if (word === extensions) while (scanner.child()) this.#extension(sink)
    else if (word < 0) this.#extension(sink)
    else scanner.skip()
    return field
  }

  /** Reads the first two links; their text and type follow the address in the list of fields. */
  #link(sink: RowSink): void {
    const scanner = this.#scanner
    const first = linkFields[this.#links]
    this.#links += 1
    if (first === undefined) {
      scanner.skip()
      return
    }
    if (scanner.attribute(href)) sink.value(first, scanner)
    while (scanner.child()) {
      const word = scanner.word(wordTable)
      if (word !== textWord && word !== typeWord) scanner.skip()
      else {
        scanner.text()
        sink.value(word === textWord ? first + 1 : first + 2, scanner)
      }
    }
  }

  /** Reads elements of other namespaces: those with only text are fields, named after the element. */
  #extension(sink: RowSink): void {
    const scanner = this.#scanner
    scanner.name()
    const name: TextToken = {
      textBytes: scanner.textBytes,
      textStart: scanner.textStart,
      textEnd: scanner.textEnd,
      isAscii: false,
    }
    const { at, depth } = scanner
    if (scanner.child()) {
      do this.#extension(sink)
      while (scanner.child())
      return
    }
    const field = sink.field(name)
    if (field < 0 || scanner.at === at) return
    scanner.reset(at, depth)
    scanner.text()
    sink.value(field, scanner)
  }
}
