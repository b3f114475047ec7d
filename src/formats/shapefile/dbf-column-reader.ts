import { isUtf8 } from 'node:buffer'
import type { TextEncoding } from '../../core/text/text-encoding.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import type { DbfColumn } from './dbf-columns.ts'
import { parsePlainNumber, parseWholeNumber } from './dbf-number.ts'
import type { DbfValueReader } from './dbf-values.ts'
import { appendEncoded } from './dbf-values.ts'

/** Rows of a .dbf in memory. */
export interface DbfBlock {
  bytes: Uint8Array
  view: DataView
  /** Offset of each row in `bytes`. */
  rows: Int32Array
  count: number
}

/**
 * Appends the values of one column in all rows of a block. Returns false, with some values appended, if the
 * caller must truncate the builder and append the rows one by one, which finds the unreadable value.
 */
export type DbfColumnReader = (block: DbfBlock) => boolean

const blank = 0x20
const star = 0x2a
/** Eight blanks as a double: an equal double has the same bytes. */
const eightBlanks = new DataView(new Uint8Array(8).fill(blank).buffer).getFloat64(0)

/** Returns a reader for the values of a column; `readValue` reads those that need no loop of their own. */
export function bindDbfColumnReader(
  { kind, field }: DbfColumn,
  builder: ColumnBuilder,
  encoding: TextEncoding,
  readValue: DbfValueReader,
): DbfColumnReader {
  const { offset, width } = field
  if (builder.kind === 'fixed' && kind === 'integer')
    return (block) => appendIntegers(builder, readValue, block, offset, width)
  if (builder.kind === 'big' && kind === 'integer')
    return (block) => appendBigIntegers(builder, readValue, block, offset, width)
  if (builder.kind === 'fixed' && kind === 'float')
    return (block) => appendFloats(builder, readValue, block, offset, width)
  if (builder.kind === 'var' && kind === 'text')
    return (block) => appendTexts(builder, encoding, block, offset, width)
  return ({ bytes, rows, count }) => {
    for (let row = 0; row < count; row += 1) {
      if (readValue(bytes, (rows[row] as number) + offset) !== undefined) return false
    }
    return true
  }
}

function appendIntegers(
  builder: FixedBuilder,
  readValue: DbfValueReader,
  { bytes, rows, count }: DbfBlock,
  offset: number,
  width: number,
): boolean {
  for (let row = 0; row < count; row += 1) {
    const at = (rows[row] as number) + offset
    const value = parseWholeNumber(bytes, at, at + width)
    if (!Number.isNaN(value)) builder.append(value)
    else if (readValue(bytes, at) !== undefined) return false
  }
  return true
}

function appendBigIntegers(
  builder: BigBuilder,
  readValue: DbfValueReader,
  { bytes, rows, count }: DbfBlock,
  offset: number,
  width: number,
): boolean {
  for (let row = 0; row < count; row += 1) {
    const at = (rows[row] as number) + offset
    const value = parseWholeNumber(bytes, at, at + width)
    if (!Number.isNaN(value)) builder.appendNumber(value)
    else if (readValue(bytes, at) !== undefined) return false
  }
  return true
}

function appendFloats(
  builder: FixedBuilder,
  readValue: DbfValueReader,
  { bytes, rows, count }: DbfBlock,
  offset: number,
  width: number,
): boolean {
  for (let row = 0; row < count; row += 1) {
    const at = (rows[row] as number) + offset
    let end = at + width
    let from = at
    while (from < end && bytes[from] === blank) from += 1
    while (end > from && bytes[end - 1] === blank) end -= 1
    const value = from === end || bytes[from] === star ? Number.NaN : parsePlainNumber(bytes, from, end)
    if (!Number.isNaN(value)) builder.append(value)
    else if (readValue(bytes, at) !== undefined) return false
  }
  return true
}

/**
 * Copies texts as they are if they are UTF-8 or only have ASCII characters. UTF-8 is checked once for the
 * block: if no text starts within a character and all of them together are well-formed, each of them is.
 */
function appendTexts(
  builder: VarBuilder,
  encoding: TextEncoding,
  { bytes, view, rows, count }: DbfBlock,
  offset: number,
  width: number,
): boolean {
  const isCopied = encoding.name === 'UTF-8'
  const first = builder.byteLength
  let isAscii = true
  let target = builder.reserve(count * width)
  for (let row = 0; row < count; row += 1) {
    const start = (rows[row] as number) + offset
    const limit = start + width
    const end = findTextEnd(bytes, view, start, limit)
    if (end === start) {
      builder.appendNull()
      continue
    }
    const to = builder.byteLength - start
    let all = 0
    let at = start
    for (; at < end; at += 1) {
      const byte = bytes[at] as number
      if (byte === 0) return false
      all |= byte
      target[to + at] = byte
    }
    if (all < 0x80) builder.commit(end - start)
    else if (!isCopied) {
      if (appendEncoded(builder, encoding, bytes, start, end, end === limit) !== undefined) return false
      target = builder.reserve((count - row) * width)
    } else {
      if (((bytes[start] as number) & 0xc0) === 0x80) return false
      isAscii = false
      builder.commit(end - start)
    }
  }
  return isAscii || isUtf8(builder.reserve(0).subarray(first, builder.byteLength))
}

/** Returns the end of a text without the blanks and NULs that fill its field. */
function findTextEnd(bytes: Uint8Array, view: DataView, start: number, limit: number): number {
  let end = limit
  while (end - start >= 8 && view.getFloat64(end - 8) === eightBlanks) end -= 8
  while (end > start && (bytes[end - 1] === blank || bytes[end - 1] === 0)) end -= 1
  return end
}
