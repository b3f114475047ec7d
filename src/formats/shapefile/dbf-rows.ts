import { ByteWindow } from '../byte-window.ts'
import type { OpenFile } from '../open-file.ts'
import type { DbfHeader } from './dbf-header.ts'

const [deletedFlag, endMark] = [0x2a, 0x1a]

/** Steps through the rows of a .dbf; after a step the row starts at `bytes[at]` with its deletion flag. */
export class DbfRows {
  count = 0
  readonly #window: ByteWindow
  readonly #header: DbfHeader

  constructor(dbf: OpenFile, header: DbfHeader, windowBytes?: number) {
    this.#window = ByteWindow.over(dbf, windowBytes)
    this.#header = header
  }

  get bytes(): Uint8Array {
    return this.#window.bytes
  }

  get view(): DataView {
    return this.#window.view
  }

  get at(): number {
    return this.#window.at
  }

  get isDeleted(): boolean {
    return this.#window.bytes[this.#window.at] === deletedFlag
  }

  /**
   * Steps to the next row. `isSelected`: true if a row beyond the count in the header is read because it has
   * a shape.
   */
  tryNext(isSelected: boolean): boolean {
    const { headerBytes, recordBytes, possibleRows, declaredRows } = this.#header
    if (this.count >= possibleRows || (this.count >= declaredRows && !isSelected)) return false
    if (!this.#window.tryMove(headerBytes + this.count * recordBytes, recordBytes)) return false
    return this.#step()
  }

  /** Like `tryNext`, reading as needed; false at the end. */
  async load(isSelected: boolean): Promise<boolean> {
    const { headerBytes, recordBytes, possibleRows, declaredRows } = this.#header
    if (this.count >= possibleRows || (this.count >= declaredRows && !isSelected)) return false
    if (!(await this.#window.load(headerBytes + this.count * recordBytes, recordBytes))) return false
    return this.#step()
  }

  /**
   * Steps to the row with this number, from 1, which an earlier pass has read; false if it no longer exists.
   */
  async seek(row: number): Promise<boolean> {
    this.count = row - 1
    return this.load(true)
  }

  #step(): boolean {
    const isEnd = this.#window.bytes[this.#window.at] === endMark && this.count >= this.#header.declaredRows
    if (isEnd) return false
    this.count += 1
    return true
  }
}
