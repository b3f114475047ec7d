import { ByteWindow } from '../byte-window.ts'
import { FormatError } from '../format.ts'
import { shxEntryBytes } from './shape-index.ts'
import type { ShapefileFiles } from './shapefile-files.ts'
import { shpHeaderBytes } from './shp-header.ts'

/** Maximum size of a record; larger ones are rejected instead of loaded into memory. */
const maxRecordBytes = 1 << 28

/** Files for locating records: the .shp, its index if usable, and the .dbf with its number of rows. */
export type RecordsSource = Pick<ShapefileFiles, 'shp' | 'header' | 'shx' | 'index' | 'dbf'>

export interface ShapeRecordsOptions {
  /** Number of bytes per read. */
  windowBytes?: number | undefined
}

/**
 * Steps through the records of a .shp: by its index if given, otherwise sequentially. After a step the
 * content of the record is `view[start, start + length)`; `length` is -1 if the index names no record.
 */
export class ShapeRecords {
  start = 0
  length = 0
  /** Why the current record is unreadable, if so. */
  problem: string | undefined
  /** Number of records so far. */
  count = 0
  /** Bytes after the last record; known at the end, with an index immediately. */
  trailingBytes = 0
  readonly #window: ByteWindow
  readonly #index: ByteWindow | undefined
  readonly #size: number
  readonly #declaredBytes: number
  readonly #expectedCount: number | undefined
  #next = shpHeaderBytes

  constructor(source: RecordsSource, { windowBytes }: ShapeRecordsOptions = {}) {
    const { shp, header, shx, index, dbf } = source
    this.#window = ByteWindow.over(shp, windowBytes)
    this.#index = shx === undefined ? undefined : ByteWindow.over(shx)
    this.#size = shp.size
    this.#declaredBytes = header.declaredBytes
    this.#expectedCount = dbf?.header.declaredRows
    if (shx !== undefined) this.trailingBytes = index?.trailingBytes ?? 0
  }

  get view(): DataView {
    return this.#window.view
  }

  /** Steps to the next record if it is in memory; otherwise the caller must call `load`. */
  tryNext(): boolean {
    const window = this.#window
    let content = -1
    if (this.#index !== undefined) {
      const index = this.#index
      if (!index.tryMove(shpHeaderBytes + this.count * shxEntryBytes, shxEntryBytes)) return false
      this.#next = index.view.getUint32(index.at) * 2
      content = index.view.getUint32(index.at + 4) * 2
      if (this.#next === 0 || content > maxRecordBytes) return false
    }
    if (!window.tryMove(this.#next, 8)) return false
    if (content < 0) content = window.view.getUint32(window.at + 4) * 2
    if (content < 4 || content > maxRecordBytes || !window.tryMove(this.#next, 8 + content)) return false
    this.#step(content)
    return true
  }

  /** Offset of the current record, including its header. */
  get offset(): number {
    return this.#next - 8 - this.length
  }

  /**
   * Steps to the record at `offset` with `length` bytes of content. Throws `FormatError` if it is not
   * there.
   */
  async seek(offset: number, length: number): Promise<void> {
    this.#next = offset
    if (this.#window.tryMove(offset, 8 + length)) this.#step(length)
    else await this.#loadContent(length)
  }

  /**
   * Steps to the next record, reading as needed; false at the end. Throws `FormatError` for a truncated file.
   */
  async load(): Promise<boolean> {
    return this.#index === undefined ? await this.#loadNext() : await this.#loadIndexed(this.#index)
  }

  async #loadIndexed(index: ByteWindow): Promise<boolean> {
    if (!(await index.load(shpHeaderBytes + this.count * shxEntryBytes, shxEntryBytes))) return false
    this.#next = index.view.getUint32(index.at) * 2
    const content = index.view.getUint32(index.at + 4) * 2
    if (this.#next === 0) this.#step(-1)
    else await this.#loadContent(content)
    return true
  }

  async #loadNext(): Promise<boolean> {
    if (this.#next === this.#size) return false
    if (!(await this.#window.load(this.#next, 8))) return this.#end(8)
    const number = this.#window.view.getUint32(this.#window.at)
    const content = this.#window.view.getUint32(this.#window.at + 4) * 2
    const isShort = content < 4 && number !== this.count + 1
    const left = this.#size - this.#next - 8
    if (content > left && this.#isLastAndWhole(number)) await this.#loadContent(left)
    else if (isShort || content > left) return this.#end(8 + content)
    else await this.#loadContent(content)
    return true
  }

  async #loadContent(content: number): Promise<void> {
    if (content > maxRecordBytes) {
      this.#step(content)
      this.problem = `The record is ${content} bytes long; at most ${maxRecordBytes} are read`
      return
    }
    if (!(await this.#window.load(this.#next, 8 + content))) throw this.#breakOff(8 + content)
    this.#step(content)
  }

  #step(content: number): void {
    this.start = this.#window.at + 8
    this.length = content
    this.problem = undefined
    this.#next += 8 + content
    this.count += 1
  }

  /**
   * True if the last expected record is longer than the rest of the file although the file is not truncated.
   */
  #isLastAndWhole(number: number): boolean {
    const isLast = this.count + 1 === this.#expectedCount && number === this.#expectedCount
    return isLast && this.#declaredBytes <= this.#size
  }

  /** Bytes after the length in the header, or after as many records as the .dbf has rows, are not records. */
  #end(requested: number): false {
    const isWhole = this.count === this.#expectedCount && this.count > 0
    if (this.#next !== this.#declaredBytes && !isWhole) throw this.#breakOff(requested)
    this.trailingBytes = this.#size - this.#next
    return false
  }

  #breakOff(requested: number): FormatError {
    const left = this.#size - this.#next
    const recordText = `Record ${this.count + 1} of the .shp, at byte ${this.#next}, takes ${requested} bytes`
    if (this.#declaredBytes > this.#size) {
      return truncated(this.#declaredBytes, this.#size, `${recordText}, ${left} are left`)
    }
    return new FormatError(`The .shp is damaged: ${recordText}, but the file ends after ${left}`, {
      code: 'corrupt',
    })
  }
}

/** Returns the error for a .shp that is shorter than its header says. */
export function truncated(declaredBytes: number, size: number, detail: string): FormatError {
  const message = `The .shp is cut short: its header says ${declaredBytes} bytes, the file has ${size}. ${detail}`
  return new FormatError(message, { code: 'truncated' })
}
