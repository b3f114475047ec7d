import { isUtf8 } from 'node:buffer'
import { cutUtf8Bytes, isValidUtf8 } from '../../core/text/text-encoding.ts'
import { ByteWindow } from '../byte-window.ts'
import type { OpenFile } from '../open-file.ts'
import type { DbfColumn } from './dbf-columns.ts'
import { hasBinaryFields } from './dbf-columns.ts'
import type { DbfHeader } from './dbf-header.ts'
import type { MemoFile } from './dbf-memo.ts'
import { memoBlock } from './dbf-memo.ts'

/** Findings of one pass over the rows of a .dbf. */
export class DbfScan {
  rows = 0
  deleted = 0
  /** True if every text is valid UTF-8. */
  isUtf8 = true
  /** Number of values of each column, by index, that are filled with asterisks. */
  readonly overflows: number[]
  readonly #columns: DbfColumn[]
  readonly #numbers: number[]
  readonly #hasBinary: boolean
  readonly #memo: MemoFile | undefined

  constructor(columns: DbfColumn[], memo?: MemoFile) {
    this.#columns = columns
    this.#memo = memo
    this.overflows = columns.map(() => 0)
    this.#hasBinary = hasBinaryFields(columns)
    this.#numbers = columns.flatMap(({ kind }, index) =>
      kind === 'integer' || kind === 'decimal' || kind === 'float' ? [index] : [],
    )
  }

  /** Reads the rows that the header states, and further ones that have one of `shapes` records. */
  async run(dbf: OpenFile, header: DbfHeader, shapes: number): Promise<void> {
    const window = ByteWindow.over(dbf)
    const { recordBytes } = header
    const limit = Math.min(header.possibleRows, Math.max(header.declaredRows, shapes))
    while (this.rows < limit) {
      if (!(await window.load(header.headerBytes + this.rows * recordBytes, recordBytes))) return
      const fitting = Math.min(Math.floor(window.available / recordBytes), limit - this.rows)
      const chunk = window.bytes.subarray(window.at, window.at + fitting * recordBytes)
      const rows = rowsBeforeEnd(chunk, recordBytes, header.declaredRows - this.rows)
      this.#scanChunk(chunk.subarray(0, rows * recordBytes), recordBytes)
      this.rows += rows
      if (rows < fitting) return
    }
  }

  #scanChunk(chunk: Uint8Array, recordBytes: number): void {
    for (let at = 0; at < chunk.length; at += recordBytes) if (chunk[at] === 0x2a) this.deleted += 1
    for (const index of this.#numbers) {
      const { field } = this.#columns[index] as DbfColumn
      const last = field.offset + field.width - 1
      for (let at = last; at < chunk.length; at += recordBytes) {
        if (chunk[at] === 0x2a) this.overflows[index] = (this.overflows[index] as number) + 1
      }
    }
    if (this.isUtf8)
      this.isUtf8 = (!this.#hasBinary && isUtf8(chunk)) || this.#areTextsUtf8(chunk, recordBytes)
    if (this.isUtf8 && this.#memo !== undefined)
      this.isUtf8 = this.#areMemosUtf8(this.#memo, chunk, recordBytes)
  }

  #areMemosUtf8(memo: MemoFile, chunk: Uint8Array, recordBytes: number): boolean {
    for (const { kind, field } of this.#columns) {
      if (kind !== 'memo') continue
      for (let start = field.offset; start < chunk.length; start += recordBytes) {
        const block = memoBlock(chunk, start, field.width)
        const text = block > 0 ? memo.read(block) : undefined
        if (text !== undefined && !isValidUtf8(text)) return false
      }
    }
    return true
  }

  /** Like the reader, this accepts a truncated last character of a field. */
  #areTextsUtf8(chunk: Uint8Array, recordBytes: number): boolean {
    for (const { kind, field } of this.#columns) {
      if (kind !== 'text') continue
      for (let start = field.offset; start < chunk.length; start += recordBytes) {
        const end = start + field.width
        if (!isValidUtf8(chunk, start, end - cutUtf8Bytes(chunk, start, end))) return false
      }
    }
    return true
  }
}

/** An end mark instead of a deletion flag ends the rows, unless the header states more. */
function rowsBeforeEnd(chunk: Uint8Array, recordBytes: number, stated: number): number {
  const rows = chunk.length / recordBytes
  for (let row = Math.max(0, stated); row < rows; row += 1) if (chunk[row * recordBytes] === 0x1a) return row
  return rows
}
