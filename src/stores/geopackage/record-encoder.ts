import type { Column } from '../../geo/column.ts'
import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import { areInfiniteHalves, isInfiniteDay } from '../../geo/infinite-times.ts'
import type { Attribute } from '../../geo/schema.ts'
import type { Fit, GeometryRules } from '../geometry-rules.ts'
import { fitTable, misfitReason } from '../geometry-rules.ts'
import { LostValues } from '../lost-values.ts'
import type { Instant } from './date-digits.ts'
import {
  dateBytes,
  instantBytes,
  isWritableDay,
  splitInstant,
  writeDate,
  writeInstant,
} from './date-digits.ts'
import {
  integerSerial,
  serialBytes,
  serialDouble,
  wideSerial,
  writeInteger,
} from './sqlite-file/serial-type.ts'
import type { SqliteTableWriter } from './sqlite-file/table-writer.ts'
import { varintBytes, writeVarint } from './sqlite-file/varint.ts'

/** Values of a row after its id: the geometry, if any, then the attributes. */
export interface RecordLayout {
  geometry: (GeometryRules & { srsId: number }) | undefined
  attributes: Attribute[]
}

/** Why a row was rejected. */
export interface Refusal {
  field?: string
  reason: string
}

const noWords = new Int32Array(0)
const headerBytes = 8
const envelopeBytes = 32
/** Size of the header before a single geometry that becomes the only part of a multi geometry. */
const promotionBytes = 9

/**
 * Encodes rows of batches as SQLite records (file format, section 2.1): a null for the rowid, the geometry as
 * a GeoPackage blob (OGC 12-128r18, section 2.1.3), the attributes. Call `begin` for a batch, then
 * `encodeRow` for each row.
 */
export class RecordEncoder {
  /** Why the last row was rejected. */
  refusal: Refusal = { reason: '' }
  /** Values of written rows that became null, since SQLite has no NaN and no infinite dates and times. */
  readonly lost = new LostValues()
  readonly #layout: RecordLayout
  readonly #fits: Fit[]
  readonly #serials: Float64Array
  readonly #instants: Instant[]
  readonly #table: SqliteTableWriter
  readonly #firstAttribute: number
  #columns: Column[] = []
  #words: Int32Array[] = []
  #geometry: GeometryColumn | undefined
  #view: DataView = new DataView(new ArrayBuffer(0))
  #fit: Fit = 'asIs'
  #prefixBytes = 0

  constructor(table: SqliteTableWriter, layout: RecordLayout) {
    this.#table = table
    this.#layout = layout
    this.#fits = layout.geometry === undefined ? [] : fitTable(layout.geometry)
    this.#firstAttribute = layout.geometry === undefined ? 1 : 2
    this.#serials = new Float64Array(this.#firstAttribute + layout.attributes.length)
    this.#instants = layout.attributes.map(() => ({ days: 0, micros: 0 }))
  }

  /** Sets a batch: the columns of the layout, in its order and with its types. */
  begin(columns: Column[], geometry: GeometryColumn | undefined): void {
    this.#columns = columns
    this.#words = columns.map((column) =>
      column.kind === 'big'
        ? new Int32Array(column.values.buffer, column.values.byteOffset, column.values.length * 2)
        : noWords,
    )
    this.#geometry = geometry
    if (geometry !== undefined) {
      this.#view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset, geometry.bytes.byteLength)
    }
  }

  /** Writes a row, or skips it and sets `refusal` to the reason. */
  encodeRow(row: number, rowid: number): boolean {
    let bodyBytes = 0
    if (this.#layout.geometry !== undefined) {
      const bytes = this.#measureGeometry(row)
      if (bytes < 0) return false
      this.#serials[1] = bytes === 0 ? 0 : bytes * 2 + 12
      bodyBytes = bytes
    }
    for (let index = 0; index < this.#columns.length; index += 1) {
      const serial = this.#measure(index, row)
      if (serial < 0) return false
      this.#serials[this.#firstAttribute + index] = serial
      bodyBytes += serialBytes(serial)
    }
    this.#write(row, rowid, bodyBytes)
    return true
  }

  #write(row: number, rowid: number, bodyBytes: number): void {
    const serials = this.#serials
    let head = 1
    for (let i = 1; i < serials.length; i += 1) head += varintBytes(serials[i] as number)
    head += head + 1 < 0x80 ? 1 : 2
    const table = this.#table
    table.startRow(rowid, head + bodyBytes)
    const { bytes, view } = table
    let at = writeVarint(bytes, table.at, head)
    bytes[at] = 0
    at += 1
    for (let i = 1; i < serials.length; i += 1) at = writeVarint(bytes, at, serials[i] as number)
    if (this.#layout.geometry !== undefined && serials[1] !== 0)
      at = this.#writeGeometry(bytes, view, at, row)
    for (let index = 0; index < this.#columns.length; index += 1) {
      at = this.#writeValue(bytes, view, at, index, row)
    }
    table.endRow()
  }

  /** Returns the serial type of a value, or -1 if its column cannot store it. */
  #measure(index: number, row: number): number {
    const column = this.#columns[index] as Column
    if ((((column.validity[row >> 3] as number) >> (row & 7)) & 1) === 0) {
      const isRefused = this.#layout.attributes[index]?.isNullable === false
      return isRefused ? this.#refuse(index, 'The column does not take null') : 0
    }
    if (column.kind === 'var') return this.#measureVar(index, column.offsets, column.bytes, column.type, row)
    if (column.kind === 'fixed') {
      const value = column.values[row] as number
      if (column.type === 'float64' || column.type === 'float32')
        return Number.isNaN(value) ? this.#measureLost(index) : serialDouble
      if (column.type !== 'date') return integerSerial(value)
      if (isInfiniteDay(value)) return this.#measureLost(index)
      return isWritableDay(value)
        ? dateBytes * 2 + 13
        : this.#refuse(index, 'The year is not between 0 and 9999')
    }
    const words = this.#words[index] as Int32Array
    const low = words[row * 2] as number
    const high = words[row * 2 + 1] as number
    if (column.type === 'int64') return wideSerial(high, low)
    if (areInfiniteHalves(high, low)) return this.#measureLost(index)
    const instant = this.#instants[index] as Instant
    splitInstant(high, low, instant)
    if (!isWritableDay(instant.days)) return this.#refuse(index, 'The year is not between 0 and 9999')
    return instantBytes(instant) * 2 + 13
  }

  #measureLost(index: number): number {
    const isRefused = this.#layout.attributes[index]?.isNullable === false
    return isRefused
      ? this.#refuse(index, 'A GeoPackage cannot hold the value, and the column does not take null')
      : 0
  }

  #measureVar(index: number, offsets: Uint32Array, bytes: Uint8Array, type: string, row: number): number {
    const start = offsets[row] as number
    const end = offsets[row + 1] as number
    if (type === 'binary') return (end - start) * 2 + 12
    const maxLength = this.#layout.attributes[index]?.maxLength
    if (maxLength !== undefined && end - start > maxLength) {
      let characters = 0
      for (let at = start; at < end; at += 1) if (((bytes[at] as number) & 0xc0) !== 0x80) characters += 1
      if (characters > maxLength) {
        return this.#refuse(index, `The text has ${characters} characters, ${maxLength} at most`)
      }
    }
    return (end - start) * 2 + 13
  }

  #writeValue(bytes: Uint8Array, view: DataView, at: number, index: number, row: number): number {
    const serial = this.#serials[this.#firstAttribute + index] as number
    const column = this.#columns[index] as Column
    if (serial === 0) {
      if ((((column.validity[row >> 3] as number) >> (row & 7)) & 1) === 1) this.#countLost(index)
      return at
    }
    if (column.kind === 'var') {
      return copyBytes(
        column.bytes,
        column.offsets[row] as number,
        column.offsets[row + 1] as number,
        bytes,
        at,
      )
    }
    if (column.kind === 'fixed') {
      const value = column.values[row] as number
      if (serial === serialDouble) {
        view.setFloat64(at, value)
        return at + 8
      }
      if (column.type !== 'date') return writeInteger(view, at, serial, value >> 31, value)
      writeDate(bytes, at, value)
      return at + dateBytes
    }
    if (column.type === 'int64') {
      const words = this.#words[index] as Int32Array
      return writeInteger(view, at, serial, words[row * 2 + 1] as number, words[row * 2] as number)
    }
    writeInstant(bytes, at, this.#instants[index] as Instant)
    return at + serialBytes(serial)
  }

  /** Returns the size of the geometry blob, 0 for null, -1 if the column does not accept the geometry. */
  #measureGeometry(row: number): number {
    const geometry = this.#geometry
    if (geometry === undefined || (((geometry.validity[row >> 3] as number) >> (row & 7)) & 1) === 0) {
      this.#prefixBytes = 0
      return 0
    }
    const start = geometry.offsets[row] as number
    const number = this.#view.getUint32(start + 1, true)
    this.#fit = this.#fits[number] ?? 'typeMismatch'
    if (this.#fit === 'typeMismatch' || this.#fit === 'dimensionMismatch') {
      this.refusal = { reason: misfitReason(this.#layout.geometry as GeometryRules, number, this.#fit) }
      return -1
    }
    const isBare = number % 1000 === 1 || Number.isNaN(geometry.envelopes[row * 4] as number)
    this.#prefixBytes = isBare && this.#fit === 'asIs' ? headerBytes : headerBytes + envelopeBytes
    if (Number.isNaN(geometry.envelopes[row * 4] as number)) this.#prefixBytes = headerBytes
    const promotion = this.#fit === 'promote' ? promotionBytes : 0
    return this.#prefixBytes + promotion + (geometry.offsets[row + 1] as number) - start
  }

  #writeGeometry(bytes: Uint8Array, view: DataView, start: number, row: number): number {
    const geometry = this.#geometry as GeometryColumn
    const envelope = row * 4
    const isEmpty = Number.isNaN(geometry.envelopes[envelope] as number)
    const hasEnvelope = this.#prefixBytes > headerBytes
    view.setUint32(start, 0x47500000 | 1 | (hasEnvelope ? 2 : 0) | (isEmpty ? 0x10 : 0))
    view.setInt32(start + 4, this.#layout.geometry?.srsId ?? 0, true)
    if (hasEnvelope) {
      view.setFloat64(start + 8, geometry.envelopes[envelope] as number, true)
      view.setFloat64(start + 16, geometry.envelopes[envelope + 2] as number, true)
      view.setFloat64(start + 24, geometry.envelopes[envelope + 1] as number, true)
      view.setFloat64(start + 32, geometry.envelopes[envelope + 3] as number, true)
    }
    let at = start + this.#prefixBytes
    const from = geometry.offsets[row] as number
    if (this.#fit === 'promote') {
      bytes[at] = 1
      view.setUint32(at + 1, this.#view.getUint32(from + 1, true) + 3, true)
      view.setUint32(at + 5, 1, true)
      at += promotionBytes
    }
    return copyBytes(geometry.bytes, from, geometry.offsets[row + 1] as number, bytes, at)
  }

  #countLost(index: number): void {
    const { type } = this.#columns[index] as Column
    const kind = type === 'float32' || type === 'float64' ? 'nan' : 'infinity'
    this.lost.add(this.#layout.attributes[index]?.name ?? '', kind)
  }

  #refuse(index: number, reason: string): number {
    const field = this.#layout.attributes[index]?.name
    this.refusal = field === undefined ? { reason } : { field, reason }
    return -1
  }
}

function copyBytes(source: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  const count = end - start
  if (count < 32) for (let i = 0; i < count; i += 1) target[at + i] = source[start + i] as number
  else target.set(source.subarray(start, end), at)
  return at + count
}
