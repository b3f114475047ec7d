import { isUtf8 } from 'node:buffer'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'
import { expandDecimal } from '../convert-column.ts'
import type { Fit, GeometryRules } from './geometry-rules.ts'
import { fitTable, misfitReason, structuralProblem } from './geometry-rules.ts'
import type { DecimalParts } from './numeric-encoder.ts'
import { findDecimalParts, fitsNumeric, numericBytes, writeNumeric } from './numeric-encoder.ts'

/** What goes into one row of a COPY, in the order of its column list. */
export interface CopyLayout {
  /** Source row number as bigint before everything else, where the table has a column for it. */
  hasRowNumber: boolean
  /** Columns of the batch and the limits of their targets. */
  attributes: { index: number; target: Attribute }[]
  geometry: { rules: GeometryRules; isRequired: boolean } | undefined
}

/** A row that PostgreSQL would not take. */
export interface Refusal {
  field?: string
  reason: string
}

const chunkBytes = 128 * 1024
const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const microsecondsTo2000 = 946_684_800_000_000
const daysTo2000 = 10_957
/** Limits of date, timestamp and time in PostgreSQL, counted from 2000-01-01 (src/include/datatype/timestamp.h). */
const minDate = -2_451_545
const endDate = 2_145_031_949
const minTimestamp = -211_813_488_000_000_000
const endTimestamp = 9_223_371_331_200_000_000
const maxTime = 86_400_000_000
const shiftLow = microsecondsTo2000 % 4_294_967_296
const shiftHigh = Math.floor(microsecondsTo2000 / 4_294_967_296)
const minHigh = Math.floor(minTimestamp / 4_294_967_296)
const minLow = minTimestamp - minHigh * 4_294_967_296
const endHigh = Math.floor(endTimestamp / 4_294_967_296)
const endLow = endTimestamp - endHigh * 4_294_967_296
const timestampProblem = 'The time is outside 4713 BC to 294276 AD'

const widths: Record<AttributeType, number> = {
  boolean: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  float32: 4,
  float64: 8,
  date: 4,
  time: 8,
  timestamp: 8,
  decimal: 0,
  text: 0,
  binary: 0,
}

/** A column of the batch at hand, laid out for row access. */
interface Source {
  /** The attribute's name in the batch. */
  name: string
  type: AttributeType
  target: Attribute
  column: Column
  /** 32-bit halves of 64-bit values, low half first. */
  words: Int32Array
  /** Some value holds a zero byte or is not UTF-8: each row is looked at. */
  isSuspect: boolean
}

const noWords = new Int32Array(0)

/**
 * Encodes batches as PostgreSQL's binary COPY (documentation of COPY, "Binary Format"), without an object for each
 * value. `begin` a batch, `encodeRow` each row; when `isFull`, take the chunk and send it.
 */
export class CopyEncoder {
  /** Why the last row was refused. */
  refusal: Refusal = { reason: '' }
  #layout: CopyLayout
  #fits: Fit[]
  #out = Buffer.allocUnsafeSlow(chunkBytes)
  #view: DataView<ArrayBufferLike>
  #at = 0
  #sources: Source[] = []
  #batch: FeatureBatch | undefined
  #geometryView: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0))
  #fixedBytes = 0
  #rowSize = 0
  readonly #fieldCount: number
  readonly #parts: DecimalParts = {
    isNegative: false,
    integerStart: 0,
    integerEnd: 0,
    fractionStart: 0,
    end: 0,
  }

  constructor(layout: CopyLayout) {
    this.#layout = layout
    this.#fits = layout.geometry === undefined ? [] : fitTable(layout.geometry.rules)
    this.#view = new DataView(this.#out.buffer)
    this.#fieldCount =
      layout.attributes.length + (layout.hasRowNumber ? 1 : 0) + (layout.geometry === undefined ? 0 : 1)
    this.#out.set(signature)
    this.#out.fill(0, signature.length, signature.length + 8)
    this.#at = signature.length + 8
  }

  get isFull(): boolean {
    return this.#at >= chunkBytes - 16 * 1024
  }

  /** What was encoded since the last call; the caller owns it. */
  takeChunk(): Uint8Array {
    const chunk = this.#out.subarray(0, this.#at)
    this.#out = Buffer.allocUnsafeSlow(chunkBytes)
    this.#view = new DataView(this.#out.buffer)
    this.#at = 0
    return chunk
  }

  /** The last chunk, with the trailer. */
  finish(): Uint8Array {
    this.#reserve(2)
    this.#view.setInt16(this.#at, -1)
    this.#at += 2
    return this.takeChunk()
  }

  begin(batch: FeatureBatch, columns: Column[]): void {
    this.#batch = batch
    this.#sources = this.#layout.attributes.map(({ index, target }) => {
      const column = columns[index]
      if (column === undefined) throw new Error(`The batch has no column ${index} ("${target.name}")`)
      return {
        name: batch.schema.attributes[index]?.name ?? target.name,
        type: column.type,
        target,
        column,
        words: wordsOf(column),
        isSuspect: isSuspect(column),
      }
    })
    this.#fixedBytes = 2 + 12 + 13
    for (const source of this.#sources) this.#fixedBytes += 4 + widths[source.type]
    const bytes = batch.geometry?.bytes
    if (bytes !== undefined)
      this.#geometryView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Encodes a row, or leaves it out and says why in `refusal`. */
  encodeRow(row: number): boolean {
    this.#rowSize = this.#rowBytes(row)
    this.#reserve(this.#rowSize)
    const start = this.#at
    this.#view.setInt16(this.#at, this.#fieldCount)
    this.#at += 2
    if (this.#layout.hasRowNumber) this.#rowNumber(row)
    let problem = ''
    for (const source of this.#sources) {
      problem = this.#value(source, row)
      if (problem !== '') {
        this.refusal = { field: source.name, reason: problem }
        break
      }
    }
    if (problem === '' && this.#layout.geometry !== undefined) {
      problem = this.#geometry(row)
      if (problem !== '') this.refusal = { reason: problem }
    }
    if (problem !== '') this.#at = start
    return problem === ''
  }

  #rowBytes(row: number): number {
    let size = this.#fixedBytes
    for (const { column } of this.#sources) {
      if (column.kind !== 'var') continue
      const length = (column.offsets[row + 1] as number) - (column.offsets[row] as number)
      size += column.type === 'decimal' ? numericBytes(length) : length
    }
    const offsets = this.#batch?.geometry?.offsets
    if (offsets !== undefined) size += (offsets[row + 1] as number) - (offsets[row] as number)
    return size
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#out.length) return
    const grown = Buffer.allocUnsafeSlow(this.#at + count + 64)
    grown.set(this.#out.subarray(0, this.#at))
    this.#out = grown
    this.#view = new DataView(grown.buffer)
  }

  #rowNumber(row: number): void {
    const number = this.#batch?.rowNumbers[row] ?? 0
    this.#view.setInt32(this.#at, 8)
    this.#view.setInt32(this.#at + 4, Math.floor(number / 4_294_967_296))
    this.#view.setUint32(this.#at + 8, number % 4_294_967_296)
    this.#at += 12
  }

  #value(source: Source, row: number): string {
    const { column } = source
    if ((((column.validity[row >> 3] as number) >> (row & 7)) & 1) === 0) {
      if (source.target.isNullable === false) return 'The column does not take null'
      this.#view.setInt32(this.#at, -1)
      this.#at += 4
      return ''
    }
    if (column.kind === 'fixed') return this.#fixed(source.type, column.values[row] as number)
    if (column.kind === 'big') {
      return this.#big(source.type, source.words[row * 2] as number, source.words[row * 2 + 1] as number)
    }
    const start = column.offsets[row] as number
    const end = column.offsets[row + 1] as number
    if (source.type === 'decimal') return this.#decimal(column.bytes, start, end, source.target)
    const problem = source.type === 'text' ? textProblem(source, column.bytes, start, end) : ''
    if (problem !== '') return problem
    this.#view.setInt32(this.#at, end - start)
    this.#copy(column.bytes, start, end, this.#at + 4)
    this.#at += 4 + end - start
    return ''
  }

  #fixed(type: AttributeType, value: number): string {
    const view = this.#view
    const at = this.#at
    switch (type) {
      case 'boolean':
        view.setInt8(at + 4, value === 0 ? 0 : 1)
        break
      case 'int16':
        view.setInt16(at + 4, value)
        break
      case 'int32':
        view.setInt32(at + 4, value)
        break
      case 'float32':
        view.setFloat32(at + 4, value)
        break
      case 'float64':
        view.setFloat64(at + 4, value)
        break
      default: {
        const days = value - daysTo2000
        if (days < minDate || days >= endDate) return 'The date is outside 4713 BC to 5874897 AD'
        view.setInt32(at + 4, days)
      }
    }
    const width = widths[type]
    view.setInt32(at, width)
    this.#at = at + 4 + width
    return ''
  }

  #big(type: AttributeType, low: number, high: number): string {
    let upper = high
    let lower = low >>> 0
    if (type !== 'int64') {
      const value = high * 4_294_967_296 + lower
      if (type === 'time') {
        if (value < 0 || value > maxTime) return 'The time is outside 00:00 to 24:00'
      } else {
        const shifted = value - microsecondsTo2000
        if (shifted < minTimestamp || shifted > endTimestamp) return timestampProblem
        upper = high - shiftHigh - (lower < shiftLow ? 1 : 0)
        lower = (lower - shiftLow) >>> 0
        // The double above is exact to 32 microseconds only.
        if (upper < minHigh || (upper === minHigh && lower < minLow)) return timestampProblem
        if (upper > endHigh || (upper === endHigh && lower >= endLow)) return timestampProblem
      }
    }
    this.#view.setInt32(this.#at, 8)
    this.#view.setInt32(this.#at + 4, upper)
    this.#view.setUint32(this.#at + 8, lower)
    this.#at += 12
    return ''
  }

  #decimal(bytes: Uint8Array, start: number, end: number, target: Attribute): string {
    let digits = bytes
    if (!findDecimalParts(bytes, start, end, this.#parts)) {
      digits = Buffer.from(expandDecimal(Buffer.from(bytes.subarray(start, end)).toString('latin1')) ?? '')
      if (!findDecimalParts(digits, 0, digits.length, this.#parts)) return 'The value is not a decimal number'
      this.#reserve(numericBytes(digits.length) + this.#rowSize)
    }
    const { precision, scale = 0 } = target
    if (precision !== undefined && !fitsNumeric(digits, this.#parts, precision, scale)) {
      return `The number does not fit ${precision} digits with ${scale} after the point`
    }
    const size = writeNumeric(digits, this.#parts, this.#out, this.#at + 4)
    this.#view.setInt32(this.#at, size)
    this.#at += 4 + size
    return ''
  }

  #geometry(row: number): string {
    const geometry = this.#batch?.geometry
    const wanted = this.#layout.geometry
    if (geometry === undefined || (((geometry.validity[row >> 3] as number) >> (row & 7)) & 1) === 0) {
      this.#view.setInt32(this.#at, -1)
      this.#at += 4
      return ''
    }
    const start = geometry.offsets[row] as number
    const end = geometry.offsets[row + 1] as number
    const number = this.#geometryView.getUint32(start + 1, true)
    const fit = this.#fits[number] ?? 'typeMismatch'
    if (fit === 'typeMismatch' || fit === 'dimensionMismatch') {
      return wanted === undefined ? '' : misfitReason(wanted.rules, number, fit)
    }
    const problem = structuralProblem(this.#geometryView, start)
    if (problem !== '') return problem
    let at = this.#at + 4
    if (fit === 'promote') {
      this.#out[at] = 1
      this.#view.setUint32(at + 1, number + 3, true)
      this.#view.setUint32(at + 5, 1, true)
      at += 9
    }
    this.#copy(geometry.bytes, start, end, at)
    at += end - start
    this.#view.setInt32(this.#at, at - this.#at - 4)
    this.#at = at
    return ''
  }

  #copy(source: Uint8Array, start: number, end: number, at: number): void {
    const out = this.#out
    if (end - start < 32) {
      for (let from = start, to = at; from < end; from += 1, to += 1) out[to] = source[from] as number
    } else {
      out.set(source.subarray(start, end), at)
    }
  }
}

function wordsOf(column: Column): Int32Array {
  if (column.kind !== 'big') return noWords
  return new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
}

function isSuspect(column: Column): boolean {
  return column.type === 'text' && (column.bytes.includes(0) || !isUtf8(column.bytes))
}

function textProblem(source: Source, bytes: Uint8Array, start: number, end: number): string {
  if (source.isSuspect) {
    const value = bytes.subarray(start, end)
    if (value.includes(0)) return 'PostgreSQL does not take text with a zero byte'
    if (!isUtf8(value)) return 'The text is not UTF-8'
  }
  const { maxLength } = source.target
  if (maxLength === undefined || end - start <= maxLength) return ''
  let characters = 0
  for (let at = start; at < end; at += 1) if (((bytes[at] as number) & 0xc0) !== 0x80) characters += 1
  return characters > maxLength ? `The text has ${characters} characters, ${maxLength} at most` : ''
}
