import type { PageReader, ParquetPage } from './page-reader.ts'
import { damaged } from './parquet-error.ts'
import type { ParquetNode } from './parquet-file.ts'
import { RleReader } from './rle-reader.ts'
import { openValues, ParquetDictionary, type ParquetValueSource } from './value-source.ts'

/**
 * Steps through the entries of a leaf column in one row group: each a value or a null, with nesting levels.
 * `ready` entries can be read before `load` must be called for the next page.
 */
export class LeafCursor {
  readonly node: ParquetNode
  ready = 0
  /** Definition level of the current entry. */
  definition = 0
  repetition = 0
  readonly #pages: PageReader
  #dictionary: ParquetDictionary | undefined
  #definitions: RleReader | undefined
  #repetitions: RleReader | undefined
  #page: ParquetPage | undefined
  #source: ParquetValueSource | undefined

  constructor(node: ParquetNode, pages: PageReader) {
    this.node = node
    this.#pages = pages
  }

  /** The current value; valid until the next step. */
  get source(): ParquetValueSource {
    if (this.#source === undefined) throw new Error('A cursor was asked before its first step')
    return this.#source
  }

  /** Steps to the next entry; true when it has a value. */
  step(): boolean {
    this.ready -= 1
    if (this.#repetitions !== undefined) this.repetition = this.#repetitions.next()
    if (this.#definitions !== undefined) {
      this.definition = this.#definitions.next()
      if (this.definition < this.node.maxDefinition) return false
    }
    this.#source ??= this.#open()
    this.#source.next()
    return true
  }

  /** Opens the next page with entries; false after the last. */
  async load(): Promise<boolean> {
    while (this.ready === 0) {
      const page = await this.#pages.next()
      if (page === undefined) return false
      if (page.isDictionary) {
        this.#dictionary = new ParquetDictionary(page, this.node)
        continue
      }
      const { maxDefinition, maxRepetition } = this.node
      this.definition = maxDefinition
      this.#definitions = levelReader(page.definitionLevels, maxDefinition)
      this.#repetitions = levelReader(page.repetitionLevels, maxRepetition)
      this.#page = page
      this.#source = undefined
      this.ready = page.valueCount
    }
    return true
  }

  /** Values are opened with the first one: a page of nulls has none. */
  #open(): ParquetValueSource {
    if (this.#page === undefined) throw new Error('A cursor was stepped before a page was loaded')
    return openValues(this.node, this.#page, this.#dictionary)
  }

  close(): void {
    this.#pages.close()
  }
}

function levelReader(levels: Uint8Array, max: number): RleReader | undefined {
  if (max === 0) return undefined
  if (levels.length === 0) throw damaged('a page has no levels')
  return new RleReader(levels, 0, 32 - Math.clz32(max))
}
