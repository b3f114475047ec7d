import { cutUtf8Bytes, type TextEncoding } from '../../core/text/text-encoding.ts'
import { findDays } from '../../core/values/calendar.ts'
import { parseEndless, parseLiteral } from '../../core/values/number-text.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import type { DbfColumn } from './dbf-columns.ts'
import { type MemoFile, memoBlock } from './dbf-memo.ts'
import { parsePlainNumber, parseWholeDigits, parseWholeNumber } from './dbf-number.ts'

/** Appends the value at `at`; returns the reason if it is unreadable. */
export type DbfValueReader = (bytes: Uint8Array, at: number) => string | undefined

/** First valid date of a field with eight digits; the year 0 comes from blank fields. */
const yearOne = 1_01_01
const [blank, star, zero] = [0x20, 0x2a, 0x30]

/** Returns a reader that fills `builder` with the values of a column. */
export function bindDbfReader(
  { kind, field }: DbfColumn,
  builder: ColumnBuilder,
  encoding: TextEncoding,
  memo: MemoFile | undefined,
): DbfValueReader {
  const { width } = field
  if (builder.kind === 'fixed') {
    if (kind === 'integer') return integerReader(builder, width)
    if (kind === 'date') return dateReader(builder)
    if (kind === 'logical') return logicalReader(builder)
    if (kind === 'binary-integer') return binaryIntegerReader(builder, field.letter === '+')
    if (kind === 'binary-double') return binaryDoubleReader(builder)
    return floatReader(builder, width)
  }
  if (builder.kind === 'big') {
    return kind === 'date-time' ? dateTimeReader(builder) : bigIntegerReader(builder, width)
  }
  if (kind === 'decimal') return decimalReader(builder, width)
  if (kind === 'currency') return currencyReader(builder)
  if (kind === 'memo') return memoReader(builder, width, encoding, memo)
  return textReader(builder, width, encoding)
}

/** Returns the value as text, without surrounding blanks and NULs; for messages and rejects. */
export function rawText(bytes: Uint8Array, at: number, width: number): string {
  let text = ''
  for (let i = at; i < at + width; i += 1) text += String.fromCharCode(bytes[i] as number)
  return text.replace(/\0.*$/s, '').trim()
}

/** Returns the first non-blank byte; `end` if there is none. */
function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && isPadding(bytes[at] as number)) at += 1
  return at
}

function trimEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = end
  while (at > start && isPadding(bytes[at - 1] as number)) at -= 1
  return at
}

function isPadding(byte: number): boolean {
  return byte === blank || byte === 0
}

/** Blanks mean null, and so do asterisks, which mark a number that was too wide for its field. */
function isNullNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const from = skipBlanks(bytes, start, end)
  return from === end || bytes[from] === star
}

function integerReader(builder: FixedBuilder, width: number): DbfValueReader {
  return (bytes, at) => {
    const value = parseWholeNumber(bytes, at, at + width)
    if (Number.isNaN(value)) return appendOddInteger(builder, bytes, at, width)
    builder.append(value)
    return undefined
  }
}

/** Appends nulls and numbers other than plain digits. */
function appendOddInteger(
  builder: FixedBuilder,
  bytes: Uint8Array,
  at: number,
  width: number,
): string | undefined {
  if (isNullNumber(bytes, at, at + width)) {
    builder.appendNull()
    return undefined
  }
  const value = parseLiteral(rawText(bytes, at, width)) ?? Number.NaN
  if (!Number.isInteger(value)) return notWhole(value)
  if (value > 2147483647 || value < -2147483648) return 'is beyond the range of 32-bit integers'
  builder.append(value)
  return undefined
}

function notWhole(value: number): string {
  return Number.isNaN(value)
    ? 'is not a number'
    : 'is not a whole number, which the field is declared to hold'
}

function bigIntegerReader(builder: BigBuilder, width: number): DbfValueReader {
  return (bytes, at) => {
    const value = parseWholeNumber(bytes, at, at + width)
    if (Number.isNaN(value)) return appendOddBigInteger(builder, bytes, at, width)
    builder.appendNumber(value)
    return undefined
  }
}

function appendOddBigInteger(
  builder: BigBuilder,
  bytes: Uint8Array,
  at: number,
  width: number,
): string | undefined {
  if (isNullNumber(bytes, at, at + width)) {
    builder.appendNull()
    return undefined
  }
  const text = rawText(bytes, at, width)
  const digits = parseWholeDigits(text)
  if (digits !== undefined) {
    builder.append(BigInt(digits))
    return undefined
  }
  const value = parseLiteral(text) ?? Number.NaN
  if (!Number.isInteger(value)) return notWhole(value)
  if (!Number.isSafeInteger(value)) return 'is beyond the range in which its form is exact'
  builder.appendNumber(value)
  return undefined
}

function decimalReader(builder: VarBuilder, width: number): DbfValueReader {
  return (bytes, at) => {
    if (isNullNumber(bytes, at, at + width)) {
      builder.appendNull()
      return undefined
    }
    const text = rawText(bytes, at, width)
    const digits = parseWholeDigits(text)
    if (digits === undefined) return notWhole(parseLiteral(text) ?? Number.NaN)
    builder.appendString(digits)
    return undefined
  }
}

function floatReader(builder: FixedBuilder, width: number): DbfValueReader {
  return (bytes, at) => {
    const from = skipBlanks(bytes, at, at + width)
    const end = trimEnd(bytes, from, at + width)
    if (from === end || bytes[from] === star) {
      builder.appendNull()
      return undefined
    }
    let value: number | undefined = parsePlainNumber(bytes, from, end)
    if (Number.isNaN(value)) {
      const text = rawText(bytes, at, width)
      value = parseLiteral(text) ?? parseEndless(text)
    }
    if (value === undefined) return 'is not a number'
    builder.append(value)
    return undefined
  }
}

/** Returns a reader of dates in the form `YYYYMMDD`; blanks and zeros mean null. */
function dateReader(builder: FixedBuilder): DbfValueReader {
  return (bytes, at) => {
    let digits = 0
    let isBlank = true
    for (let i = at; i < at + 8; i += 1) {
      const byte = bytes[i] as number
      if (byte >= zero && byte <= 0x39) digits = digits * 10 + byte - zero
      else if (!isPadding(byte)) return 'is not a date of the form YYYYMMDD'
      else continue
      if (byte !== zero) isBlank = false
    }
    if (isBlank) {
      builder.appendNull()
      return undefined
    }
    const day = findDays(Math.floor(digits / 10000), Math.floor(digits / 100) % 100, digits % 100)
    if (digits < yearOne || Number.isNaN(day) || trimEnd(bytes, at, at + 8) !== at + 8)
      return 'is not a date of the form YYYYMMDD'
    builder.append(day)
    return undefined
  }
}

function logicalReader(builder: FixedBuilder): DbfValueReader {
  return (bytes, at) => {
    const letter = String.fromCharCode(bytes[at] as number)
    if ('TtYy'.includes(letter)) builder.append(1)
    else if ('FfNn'.includes(letter)) builder.append(0)
    else if ('? \0'.includes(letter)) builder.appendNull()
    else return 'is neither true (T, Y) nor false (F, N)'
    return undefined
  }
}

/** Autoincrement fields of dBASE are big-endian with an inverted sign bit, those of FoxPro little-endian. */
function binaryIntegerReader(builder: FixedBuilder, isAutoincrement: boolean): DbfValueReader {
  return (bytes, at) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4)
    builder.append(isAutoincrement ? view.getInt32(0) ^ -2147483648 : view.getInt32(0, true))
    return undefined
  }
}

function binaryDoubleReader(builder: FixedBuilder): DbfValueReader {
  return (bytes, at) => {
    builder.append(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true))
    return undefined
  }
}

/** Returns a reader of a Julian day number and milliseconds of the day. */
function dateTimeReader(builder: BigBuilder): DbfValueReader {
  return (bytes, at) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8)
    const day = view.getInt32(0, true)
    const milliseconds = view.getInt32(4, true)
    if (day === 0 || (day === 0x20202020 && milliseconds === 0x20202020)) builder.appendNull()
    else if (day < 1721426 || day > 5373484 || milliseconds < 0 || milliseconds > 86_400_000) {
      return 'is not a date and time'
    } else builder.append((BigInt(day - 2440588) * 86_400_000n + BigInt(milliseconds)) * 1000n)
    return undefined
  }
}

/** Returns a reader of currency values: a 64-bit count of ten-thousandths. */
function currencyReader(builder: VarBuilder): DbfValueReader {
  return (bytes, at) => {
    const value = new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigInt64(0, true)
    const size = String(value < 0n ? -value : value).padStart(5, '0')
    builder.appendString(`${value < 0n ? '-' : ''}${size.slice(0, -4)}.${size.slice(-4)}`)
    return undefined
  }
}

function textReader(builder: VarBuilder, width: number, encoding: TextEncoding): DbfValueReader {
  return (bytes, at) => appendText(builder, encoding, bytes, at, at + width)
}

/** ASCII is copied by the loop that searches for other bytes; a text ends at its first NUL. */
function appendText(
  builder: VarBuilder,
  encoding: TextEncoding,
  bytes: Uint8Array,
  start: number,
  limit: number,
): string | undefined {
  let end = trimEnd(bytes, start, limit)
  if (end === start) {
    builder.appendNull()
    return undefined
  }
  const target = builder.reserve((end - start) * 3)
  const to = builder.byteLength - start
  let at = start
  for (; at < end; at += 1) {
    const byte = bytes[at] as number
    if (byte === 0 || byte >= 0x80) break
    target[to + at] = byte
  }
  if (at < end) {
    const nul = bytes.subarray(at, end).indexOf(0)
    if (nul >= 0) end = trimEnd(bytes, start, at + nul)
  }
  if (at < end) return appendEncoded(builder, encoding, bytes, start, end, end === limit)
  if (end === start) builder.appendNull()
  else builder.commit(end - start)
  return undefined
}

/** A text that fills its field may be truncated within a character: the incomplete character is dropped. */
export function appendEncoded(
  builder: VarBuilder,
  encoding: TextEncoding,
  bytes: Uint8Array,
  start: number,
  end: number,
  isFull: boolean,
): string | undefined {
  const target = builder.reserve((end - start) * 3)
  let written = encoding.transcode(bytes, start, end, target, builder.byteLength)
  if (written < 0 && isFull && encoding.isMultiByte) {
    const cut = encoding.name === 'UTF-8' ? cutUtf8Bytes(bytes, start, end) : 1
    if (cut > 0) written = encoding.transcode(bytes, start, end - cut, target, builder.byteLength)
  }
  if (written < 0) return `is not ${encoding.name} text; set the charset that the file is written in`
  builder.commit(written)
  return undefined
}

function memoReader(
  builder: VarBuilder,
  width: number,
  encoding: TextEncoding,
  memo: MemoFile | undefined,
): DbfValueReader {
  return (bytes, at) => {
    const block = memoBlock(bytes, at, width)
    if (memo === undefined || block === 0) {
      builder.appendNull()
      return undefined
    }
    const value = Number.isSafeInteger(block) && block > 0 ? memo.read(block) : undefined
    if (value === undefined) return 'points at no text in the memo file'
    return appendText(builder, encoding, value, 0, value.length)
  }
}
