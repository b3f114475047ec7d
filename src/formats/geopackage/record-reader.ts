import { isUtf8Range } from '../../core/text/utf8.ts'
import { TimeReader } from '../../core/values/time-reader.ts'
import { geopackageDateTime } from '../../core/values/time-rules.ts'
import type { BatchBuilder } from '../../geo/batch.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { SqliteValue } from './append-value.ts'
import { wkbStart } from './geometry-blob.ts'
import { appendRow } from './sql-rows.ts'
import { damaged } from './sqlite-pages/page-source.ts'
import type { TableScan } from './sqlite-pages/table-scan.ts'
import type { GeoPackageTable } from './tables.ts'

/** Size of each serial type below 12 (SQLite file format, section 2.1); the reserved ones are rejected. */
const serialBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
const integerLimits = { boolean: [0, 1], int16: [-32_768, 32_767], int32: [-2_147_483_648, 2_147_483_647] }
const decoder = new TextDecoder('utf-8', { fatal: true })
const times = new TimeReader(geopackageDateTime)

/** A column of the table in stored order. */
type Slot = { kind: 'id'; index: number } | { kind: 'geometry' } | { kind: 'attribute'; index: number }

/**
 * Appends records of a table to batches, without an object per value. Records in an unusual form go to
 * `appendRow`, which handles every form and gives the reason for rejects.
 */
export class RecordReader {
  readonly #scan: TableScan
  readonly #slots: Slot[]
  readonly #hasId: boolean
  /** Offset of each value; its serial type. */
  readonly #starts: Float64Array
  readonly #serials: Float64Array
  #at = 0

  constructor(scan: TableScan, table: GeoPackageTable) {
    this.#scan = scan
    this.#slots = table.columns.map(({ name, attribute }) => {
      if (name === table.idColumn) return { kind: 'id', index: attribute }
      return attribute >= 0 ? { kind: 'attribute', index: attribute } : { kind: 'geometry' }
    })
    this.#hasId = table.idColumn !== undefined
    this.#starts = new Float64Array(table.columns.length + 1)
    this.#serials = new Float64Array(table.columns.length)
  }

  /** Appends the current record of the scan. */
  append(builder: BatchBuilder, rowNumber: number): void {
    this.#readHeader()
    if (this.#appendFast(builder)) {
      builder.endRow(rowNumber)
      return
    }
    for (const column of builder.columns) column.truncate(builder.rowCount)
    builder.geometry?.truncate(builder.rowCount)
    appendRow(builder, this.#values(builder), rowNumber)
  }

  /**
   * Returns the WKB type number of the record's geometry; undefined if there is none, or if it is unreadable.
   */
  geometryNumber(): number | undefined {
    this.#readHeader()
    const slot = this.#slots.findIndex(({ kind }) => kind === 'geometry')
    const serial = this.#serials[slot] ?? 0
    if (serial < 12 || (serial & 1) === 1) return undefined
    const { bytes, view } = this.#scan
    const end = this.#starts[slot + 1] as number
    try {
      const start = wkbStart(bytes, this.#starts[slot] as number, end)
      return start + 5 <= end ? view.getUint32(start + 1, bytes[start] === 1) : undefined
    } catch (error) {
      if (error instanceof GeometryError) return undefined
      throw error
    }
  }

  #readHeader(): void {
    const { start, end } = this.#scan
    const headerEnd = start + this.#varint(start)
    if (headerEnd > end || headerEnd < this.#at) throw damaged('a record has a header longer than itself')
    let body = headerEnd
    for (let column = 0; column < this.#slots.length; column += 1) {
      const serial = this.#at < headerEnd ? this.#varint(this.#at) : 0
      const size = serial < 12 ? serialBytes[serial] : Math.floor((serial - 12) / 2)
      if (size === undefined || body + size > end) throw damaged('a value lies outside its record')
      this.#serials[column] = serial
      this.#starts[column] = body
      body += size
    }
    this.#starts[this.#slots.length] = body
  }

  #varint(start: number): number {
    const { bytes, end } = this.#scan
    let value = 0
    for (let at = start; at < end && at < start + 8; at += 1) {
      const byte = bytes[at] as number
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) {
        this.#at = at + 1
        return value
      }
    }
    throw damaged('a record has a header that cannot be')
  }

  #appendFast(builder: BatchBuilder): boolean {
    const { columns, geometry } = builder
    for (let slot = 0; slot < this.#slots.length; slot += 1) {
      const { kind, index } = this.#slots[slot] as { kind: string; index: number }
      const serial = this.#serials[slot] as number
      if (kind === 'id') {
        if (index >= 0) this.#appendId(columns[index] as BigBuilder)
        continue
      }
      if (serial === 0) {
        if (kind === 'attribute') (columns[index] as ColumnBuilder).appendNull()
        continue
      }
      const start = this.#starts[slot] as number
      const end = this.#starts[slot + 1] as number
      if (kind === 'geometry') {
        if (geometry !== undefined && !this.#appendGeometry(geometry, serial, start, end)) return false
        continue
      }
      const column = columns[index] as ColumnBuilder
      const isAppended =
        column.kind === 'var'
          ? this.#appendVar(column, serial, start, end)
          : column.kind === 'fixed'
            ? this.#appendFixed(column, serial, start, end)
            : this.#appendBig(column, serial, start, end)
      if (!isAppended) return false
    }
    return true
  }

  /** The id of a row is its rowid: the record contains null instead. */
  #appendId(column: BigBuilder): void {
    const { rowidHigh, rowidLow } = this.#scan
    const isExact = rowidHigh >= -0x20_0000 && rowidHigh < 0x20_0000
    if (isExact) column.appendNumber(rowidHigh * 4_294_967_296 + (rowidLow >>> 0))
    else column.append(this.#rowid())
  }

  #rowid(): bigint {
    return (BigInt(this.#scan.rowidHigh) << 32n) | BigInt(this.#scan.rowidLow >>> 0)
  }

  #appendVar(column: VarBuilder, serial: number, start: number, end: number): boolean {
    if (serial < 12) return false
    const isText = (serial & 1) === 1
    if (isText !== (column.type === 'text')) return false
    const { bytes } = this.#scan
    if (isText) {
      let at = start
      while (at < end && (bytes[at] as number) < 0x80) at += 1
      if (at < end && !isUtf8Range(bytes, at, end)) return false
    }
    column.appendBytes(bytes, start, end)
    return true
  }

  #appendFixed(column: FixedBuilder, serial: number, start: number, end: number): boolean {
    const { type } = column
    if (type === 'date') {
      if ((serial & 1) === 0 || serial <= 12 || !times.parseDate(this.#scan.bytes, start, end)) return false
      column.append(times.days)
      return true
    }
    if (serial > 9) return false
    if (type === 'float64' || type === 'float32') {
      const value = serial === 7 ? this.#scan.view.getFloat64(start) : this.#integer(serial, start)
      if (Number.isNaN(value) || serial === 6) return false
      column.append(value)
      return true
    }
    if (serial === 7 || serial === 6) return false
    const value = this.#integer(serial, start)
    const [least, most] = integerLimits[type] as [number, number]
    if (value < least || value > most) return false
    column.append(value)
    return true
  }

  #appendBig(column: BigBuilder, serial: number, start: number, end: number): boolean {
    if (column.type === 'int64') {
      if (serial > 9 || serial === 7) return false
      if (serial === 6) column.append(this.#scan.view.getBigInt64(start))
      else column.appendNumber(this.#integer(serial, start))
      return true
    }
    if ((serial & 1) === 0 || serial <= 12 || !times.parse(this.#scan.bytes, start, end)) return false
    column.appendExact(times.sinceEpoch)
    return true
  }

  #appendGeometry(geometry: GeometryBuilder, serial: number, start: number, end: number): boolean {
    if (serial < 12 || (serial & 1) === 1) return false
    const { bytes, view } = this.#scan
    try {
      const from = wkbStart(bytes, start, end)
      if (end - from === 21 && bytes[from] === 1 && view.getUint32(from + 1, true) === 1) {
        const x = view.getFloat64(from + 5, true)
        const y = view.getFloat64(from + 13, true)
        if (!(Number.isFinite(x) && Number.isFinite(y))) return false
        geometry.header(1, false, false)
        geometry.coordinate(x, y)
        geometry.endGeometry()
        return true
      }
      geometry.appendWkb(bytes, from, end)
      return true
    } catch (error) {
      if (error instanceof GeometryError) return false
      throw error
    }
  }

  #integer(serial: number, start: number): number {
    const { view } = this.#scan
    switch (serial) {
      case 1:
        return view.getInt8(start)
      case 2:
        return view.getInt16(start)
      case 3:
        return (view.getInt8(start) << 16) | view.getUint16(start + 1)
      case 4:
        return view.getInt32(start)
      case 5:
        return view.getInt16(start) * 4_294_967_296 + view.getUint32(start + 2)
      default:
        return serial - 8
    }
  }

  /** Returns the record in the form for `appendRow`: id, geometry, attributes. */
  #values(builder: BatchBuilder): SqliteValue[] {
    const values: SqliteValue[] = [null, null, ...builder.columns.map(() => null)]
    if (this.#hasId) values[0] = this.#rowid()
    this.#slots.forEach((slot, index) => {
      if (slot.kind === 'id' && slot.index >= 0) values[2 + slot.index] = this.#rowid()
      if (slot.kind === 'geometry') values[1] = this.#value(index)
      if (slot.kind === 'attribute') {
        const value = this.#value(index)
        // A REAL column stores integral numbers as integers (SQLite file format, section 2.1).
        const isReal = /^float/.test(builder.schema.attributes[slot.index]?.type ?? '')
        values[2 + slot.index] = isReal && typeof value === 'bigint' ? Number(value) : value
      }
    })
    return values
  }

  #value(slot: number): SqliteValue {
    const serial = this.#serials[slot] as number
    const start = this.#starts[slot] as number
    const { bytes, view } = this.#scan
    if (serial === 0) return null
    if (serial === 6) return view.getBigInt64(start)
    if (serial === 7) return Number.isNaN(view.getFloat64(start)) ? null : view.getFloat64(start)
    if (serial < 12) return BigInt(this.#integer(serial, start))
    const value = bytes.slice(start, this.#starts[slot + 1])
    if ((serial & 1) === 0) return value
    try {
      return decoder.decode(value)
    } catch {
      return value
    }
  }
}
