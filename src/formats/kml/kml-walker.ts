import { RowError } from '../reject-writer.ts'
import type { RowSink } from '../xml/row-sink.ts'
import { takeRow } from '../xml/row-sink.ts'
import type { DeclaredType } from '../xml/value-survey.ts'
import { declaredTypes } from '../xml/value-survey.ts'
import type { ElementHandler } from '../xml/walk-elements.ts'
import { WordTable } from '../xml/word-table.ts'
import type { TextToken, XmlScanner } from '../xml/xml-scanner.ts'
import type { XmlSource } from '../xml/xml-source.ts'
import { PlacemarkParser } from './placemark-parser.ts'

const words = [
  'kml',
  'Document',
  'Folder',
  'Placemark',
  'name',
  'Schema',
  'SimpleField',
  'NetworkLink',
  'Link',
  'Url',
  'href',
  'GroundOverlay',
  'PhotoOverlay',
] as const
const wordTable = new WordTable(words)
const encoder = new TextEncoder()
const attributes = {
  name: encoder.encode('name'),
  type: encoder.encode('type'),
  parent: encoder.encode('parent'),
}
/** Separator between the names of nested folders, as in older importers. */
const folderSeparator = ' -> '
const longestFolder = 1000
const maxLinks = 5
const maxDerived = 100

interface Container {
  isFolder: boolean
  name: string
}

/** Passes the placemarks of a file to a sink, and collects other elements. */
export class KmlWalker implements ElementHandler {
  rows = 0
  closedRings = 0
  networkLinks = 0
  overlays = 0
  /** Names of the first network links. */
  readonly linkNames: string[] = []
  readonly #scanner: XmlScanner
  readonly #sink: RowSink
  readonly #declare: (name: string, type: DeclaredType) => void
  readonly #parser: PlacemarkParser
  /** Entered elements; undefined for a skipped one. */
  readonly #entered: (Container | undefined)[] = []
  /** Elements that the file derives from Placemark (KML 2.0). */
  readonly #derived = new Set<string>()

  constructor(
    source: XmlSource,
    sink: RowSink,
    declare: (name: string, type: DeclaredType) => void = () => {},
  ) {
    this.#scanner = source.scanner
    this.#sink = sink
    this.#declare = declare
    this.#parser = new PlacemarkParser(source.scanner)
    source.place = () => (this.rows === 0 ? '' : `behind placemark ${this.rows}`)
  }

  get isFull(): boolean {
    return this.#sink.isFull
  }

  open(): boolean {
    const around = this.#entered.at(-1)
    if (around === undefined && this.#entered.length > 0) return this.#enter(undefined)
    const word = words[this.#scanner.word(wordTable)]
    switch (word) {
      case 'kml':
        return this.#enter({ isFolder: false, name: '' })
      case 'Document':
        return this.#enter({ isFolder: this.#entered.length > 1, name: '' })
      case 'Folder':
        return this.#enter({ isFolder: true, name: '' })
      case 'Placemark':
        return this.#placemark(false)
      case 'name':
        return this.#name(around)
      case 'Schema':
        return this.#schema()
      case 'NetworkLink':
        return this.#networkLink()
      case 'GroundOverlay':
      case 'PhotoOverlay':
        this.overlays += 1
        return this.#enter(undefined)
      default:
        return this.#isDerived() ? this.#placemark(true) : this.#enter(undefined)
    }
  }

  close(): void {
    if (this.#entered.pop()?.isFolder === true) this.#setFolder()
  }

  #enter(container: Container | undefined): false {
    this.#entered.push(container)
    return false
  }

  #placemark(isDerived: boolean): true {
    this.#parser.isDerived = isDerived
    takeRow(this.#scanner, this.#parser, this.#sink, this.rows + 1)
    this.rows += 1
    this.closedRings += this.#parser.geometry.closedRings
    return true
  }

  #isDerived(): boolean {
    if (this.#derived.size === 0) return false
    this.#scanner.name()
    return this.#derived.has(textOf(this.#scanner))
  }

  #name(container: Container | undefined): true {
    const name = this.#readText()
    if (container?.isFolder === true) {
      container.name = name
      this.#setFolder()
    }
    return true
  }

  #setFolder(): void {
    const names = this.#entered.flatMap((one) =>
      one?.isFolder === true && one.name !== '' ? [one.name] : [],
    )
    const path = names.join(folderSeparator).slice(0, longestFolder)
    const textBytes = encoder.encode(path)
    this.#parser.folder =
      path === '' ? undefined : { textBytes, textStart: 0, textEnd: textBytes.length, isAscii: true }
  }

  /** Reads the text of the current element; empty if unreadable. */
  #readText(): string {
    const { tagStart, tagDepth } = this.#scanner
    try {
      this.#scanner.text()
      return textOf(this.#scanner)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      this.#scanner.reset(tagStart, tagDepth)
      this.#scanner.child()
      this.#scanner.skip()
      return ''
    }
  }

  #attribute(name: keyof typeof attributes): string {
    return this.#scanner.attribute(attributes[name]) ? textOf(this.#scanner) : ''
  }

  /** OGC 12-007r2, section 9.9; in KML 2.0 a schema may define an element that is a Placemark with fields. */
  #schema(): true {
    const scanner = this.#scanner
    const name = this.#attribute('name')
    const isDerived = this.#attribute('parent') === 'Placemark' && name !== ''
    const fields: [string, DeclaredType][] = []
    while (scanner.child()) {
      if (words[scanner.word(wordTable)] === 'SimpleField') {
        const type = this.#attribute('type').toLowerCase()
        fields.push([this.#attribute('name'), declaredTypes.find((known) => known === type) ?? 'string'])
      }
      scanner.skip()
    }
    for (const [field, type] of fields) this.#declare(field, type)
    if (isDerived && this.#derived.size < maxDerived) this.#derived.add(name)
    return true
  }

  #networkLink(): true {
    const scanner = this.#scanner
    let name = ''
    let address = ''
    while (scanner.child()) {
      const word = words[scanner.word(wordTable)]
      if (word === 'name') name = this.#readText()
      else if (word === 'Link' || word === 'Url') {
        while (scanner.child()) {
          if (words[scanner.word(wordTable)] === 'href') address = this.#readText()
          else scanner.skip()
        }
      } else scanner.skip()
    }
    this.networkLinks += 1
    const label = name === '' ? plainAddress(address) : name
    if (this.linkNames.length < maxLinks && label !== '') this.linkNames.push(label.slice(0, 100))
    return true
  }
}

/** Returns an address without user, password and query. */
function plainAddress(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//')
}

function textOf({ textBytes, textStart, textEnd }: TextToken): string {
  return Buffer.from(textBytes.subarray(textStart, textEnd)).toString('utf8')
}
