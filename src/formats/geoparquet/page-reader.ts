import { parquetHeader } from 'hyparquet/src/column.js'
import type { PageHeader } from 'hyparquet/src/types.js'
import { ByteWindow } from '../byte-window.ts'
import type { OpenFile } from '../open-file.ts'
import { decompress } from './decompress.ts'
import { damaged, guarded, notSupported, tooLarge } from './parquet-error.ts'
import type { ColumnChunk, ParquetNode } from './parquet-file.ts'
import { thriftEnd } from './thrift-walk.ts'

const firstWindowBytes = 1 << 14
const headerBytes = 1 << 10
const maxHeaderBytes = 1 << 24
const maxHeaderValues = 1000
const maxPageValues = 32 << 20
/** Maximum size of one page, and of all pages in memory together. */
const maxPageBytes = 256 << 20
const maxMemoryBytes = 512 << 20

/** Counts the bytes of pages that the columns of a row group have in memory. */
export class PageMemory {
  #used = 0

  /** Adds `bytes` (possibly negative) to the count; throws `FormatError` beyond the limit. */
  take(bytes: number): void {
    this.#used += bytes
    if (this.#used > maxMemoryBytes) {
      throw tooLarge(
        `The pages of one row need ${this.#used >> 20} MiB, more than ${maxMemoryBytes >> 20}: write the file with smaller pages`,
      )
    }
  }
}

export interface ParquetPage {
  isDictionary: boolean
  encoding: string
  /** Number of values, including nulls. */
  valueCount: number
  /** Run-length encoded levels; empty if the column has none. */
  repetitionLevels: Uint8Array
  definitionLevels: Uint8Array
  /** Encoded values; valid until the next page is read. */
  values: Uint8Array
}

const none = new Uint8Array(0)

/** Reads the pages of one column chunk, one at a time (Apache Parquet format, "Data Pages"). */
export class PageReader {
  readonly #node: ParquetNode
  readonly #chunk: ColumnChunk
  readonly #memory: PageMemory
  readonly #window: ByteWindow
  #position: number
  /** Counted bytes: of the current page, and of dictionaries, which remain in memory. */
  #held = 0
  #kept = 0

  constructor(file: OpenFile, node: ParquetNode, chunk: ColumnChunk, memory: PageMemory) {
    this.#node = node
    this.#chunk = chunk
    this.#memory = memory
    this.#window = new ByteWindow(file.read, Math.min(firstWindowBytes, chunk.length + 1))
    this.#position = chunk.start
  }

  /** Returns the next page with values, undefined after the last. */
  async next(): Promise<ParquetPage | undefined> {
    for (;;) {
      if (this.#left === 0) return undefined
      const header = await this.#readHeader()
      const { compressed_page_size: packed, uncompressed_page_size: plain } = header
      if (!(isCount(packed) && isCount(plain) && packed <= this.#left))
        throw this.#damaged('a page has a wrong size')
      if (packed > maxPageBytes || plain > maxPageBytes) {
        throw tooLarge(
          `A page of column "${this.#node.path}" takes ${plain} bytes; at most ${maxPageBytes} are read`,
        )
      }
      this.#memory.take(packed + plain - this.#held)
      this.#held = packed + plain
      if (!(await this.#window.load(this.#position, packed))) throw this.#damaged('a page breaks off')
      const { bytes, at } = this.#window
      this.#position += packed
      const page = this.#pageOf(header, bytes.subarray(at, at + packed))
      if (page?.isDictionary === true) {
        this.#held = packed
        this.#kept += plain
      }
      if (page !== undefined) return page
    }
  }

  /** Releases the counted memory. */
  close(): void {
    this.#memory.take(-this.#held - this.#kept)
    this.#held = 0
    this.#kept = 0
  }

  get #left(): number {
    return this.#chunk.start + this.#chunk.length - this.#position
  }

  async #readHeader(): Promise<PageHeader> {
    for (
      let requested = Math.min(headerBytes, this.#left);
      ;
      requested = Math.min(requested * 4, this.#left)
    ) {
      if (!(await this.#window.load(this.#position, requested)))
        throw this.#damaged('a page header breaks off')
      const { bytes, view, at } = this.#window
      const end = thriftEnd(bytes, at, at + requested, maxHeaderValues)
      if (end !== undefined) {
        this.#position += end - at
        return guarded(`a page header of column "${this.#node.path}"`, () =>
          parquetHeader({ view, offset: at }),
        )
      }
      if (requested === this.#left || requested > maxHeaderBytes)
        throw this.#damaged('a page header breaks off')
    }
  }

  #pageOf(header: PageHeader, packed: Uint8Array): ParquetPage | undefined {
    const { codec } = this.#chunk
    const plainSize = header.uncompressed_page_size
    if (header.type === 'DICTIONARY_PAGE' && header.dictionary_page_header !== undefined) {
      const { num_values: valueCount, encoding } = header.dictionary_page_header
      const bytes = decompress(codec, packed, plainSize)
      const values = codec === 'UNCOMPRESSED' ? bytes.slice() : bytes
      return this.#checked({ isDictionary: true, encoding, valueCount, values, ...noLevels })
    }
    if (header.type === 'DATA_PAGE' && header.data_page_header !== undefined) {
      return this.#dataPage(header.data_page_header, decompress(codec, packed, plainSize))
    }
    if (header.type === 'DATA_PAGE_V2') return this.#dataPage2(header, packed)
    if (header.type === 'INDEX_PAGE') return undefined
    throw this.#damaged('a page has an unknown type')
  }

  #checked(page: ParquetPage): ParquetPage {
    if (!isCount(page.valueCount)) throw this.#damaged('a page has no count of values')
    if (page.valueCount > maxPageValues) {
      throw tooLarge(
        `A page of column "${this.#node.path}" has ${page.valueCount} values; at most ${maxPageValues} are read`,
      )
    }
    return page
  }

  #dataPage(header: NonNullable<PageHeader['data_page_header']>, bytes: Uint8Array): ParquetPage {
    const { maxRepetition, maxDefinition } = this.#node
    const { encoding, num_values: valueCount } = header
    let at = 0
    const levels = (max: number, levelEncoding: string): Uint8Array => {
      if (max === 0) return none
      if (levelEncoding !== 'RLE')
        throw notSupported(`Levels are encoded as ${levelEncoding}, which is not read`)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const length = at + 4 > bytes.length ? Number.NaN : view.getUint32(at, true)
      if (!(at + 4 + length <= bytes.length)) throw this.#damaged('the levels of a page break off')
      at += 4 + length
      return bytes.subarray(at - length, at)
    }
    const repetitionLevels = levels(maxRepetition, header.repetition_level_encoding)
    const definitionLevels = levels(maxDefinition, header.definition_level_encoding)
    const values = bytes.subarray(at)
    return this.#checked({
      isDictionary: false,
      encoding,
      valueCount,
      repetitionLevels,
      definitionLevels,
      values,
    })
  }

  #dataPage2(header: PageHeader, packed: Uint8Array): ParquetPage {
    const facts = header.data_page_header_v2
    if (facts === undefined) throw this.#damaged('a page has no header')
    const { encoding, num_values: valueCount } = facts
    const repetition = facts.repetition_levels_byte_length
    const levelBytes = Number(repetition) + Number(facts.definition_levels_byte_length)
    const plainSize = header.uncompressed_page_size - levelBytes
    const isGood = isCount(repetition) && isCount(facts.definition_levels_byte_length) && plainSize >= 0
    if (!isGood || levelBytes > packed.length) {
      throw this.#damaged('the levels of a page break off')
    }
    const codec = facts.is_compressed === false ? 'UNCOMPRESSED' : this.#chunk.codec
    return this.#checked({
      isDictionary: false,
      encoding,
      valueCount,
      repetitionLevels: packed.subarray(0, repetition),
      definitionLevels: packed.subarray(repetition, levelBytes),
      values: decompress(codec, packed.subarray(levelBytes), plainSize),
    })
  }

  #damaged(what: string): Error {
    return damaged(`column "${this.#node.path}", byte ${this.#position}: ${what}`)
  }
}

/** The decoder accepts any type of value for a field. */
function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0
}

const noLevels = { repetitionLevels: none, definitionLevels: none }
