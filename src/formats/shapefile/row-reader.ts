import { setImmediate } from 'node:timers/promises'
import { getTextEncoding, type TextEncoding } from '../../core/text/text-encoding.ts'
import { BatchBuilder, type FeatureBatch, type RejectedRow } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import type { Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { LayerDescription, PlacedBatch, RowAccessOptions, RowOffsets } from '../format.ts'
import { FormatError, OffsetRecorder, placeNumbers } from '../format.ts'
import { bindDbfColumnReader, type DbfColumnReader } from './dbf-column-reader.ts'
import { type DbfColumn, dbfColumns } from './dbf-columns.ts'
import { DbfRows } from './dbf-rows.ts'
import { bindDbfReader, type DbfValueReader, rawText } from './dbf-values.ts'
import { RowBlock } from './row-block.ts'
import { ShapeGeometry } from './shape-geometry.ts'
import type { ShapeRecords } from './shape-records.ts'
import { pauseAfterWork } from './shape-scan.ts'
import type { TableFiles } from './shapefile-files.ts'

/** Flag in a record length that marks that the .dbf has a row with its number; no record is that long. */
const tableFlag = 0x40000000

/** Bytes per read when rows are looked up individually. */
export const placedWindowBytes = 1 << 15

export interface RowReaderOptions extends RowAccessOptions {
  /** True to read rows by location instead of sequentially. */
  isPlaced?: boolean
}

/** Reads shape and attributes with the same number together; only attributes if there are no shapes. */
export class ShapefileRowReader {
  readonly #schema: Schema
  readonly #encoding: TextEncoding
  readonly #parts: TableFiles
  readonly #columns: DbfColumn[]
  readonly #shapes: ShapeRecords | undefined
  readonly #rows: DbfRows | undefined
  readonly #geometry: ShapeGeometry | undefined
  readonly #block = new RowBlock()
  #builder: BatchBuilder
  #readers: DbfValueReader[] = []
  #columnReaders: DbfColumnReader[] = []
  #row = 0
  /** True if the shape of the next row is in memory, but not its attributes. */
  #hasNextShape = false
  #pauseAt = pauseAfterWork
  /** Two for each row of the batch. */
  readonly #places = new OffsetRecorder()

  constructor(
    parts: TableFiles,
    layer: LayerDescription,
    shapes: ShapeRecords | undefined,
    { isPlaced = false, isGeometryOnly = false }: RowReaderOptions = {},
  ) {
    this.#parts = parts
    this.#schema = isGeometryOnly ? { ...layer.schema, attributes: [] } : layer.schema
    this.#encoding = getTextEncoding(layer.charset ?? 'UTF-8')
    const dbf = isGeometryOnly ? undefined : parts.dbf
    this.#columns = dbf === undefined ? [] : dbfColumns(dbf.header.fields, this.#encoding)
    const names = this.#columns.map((column) => `${column.attribute.name} ${column.attribute.type}`)
    const expected = this.#schema.attributes.map((attribute) => `${attribute.name} ${attribute.type}`)
    if (names.join() !== expected.join()) {
      throw new FormatError('The fields of the .dbf changed since it was examined', { code: 'file-changed' })
    }
    const windowBytes = isPlaced ? placedWindowBytes : undefined
    this.#shapes = shapes
    this.#rows = dbf === undefined ? undefined : new DbfRows(dbf.file, dbf.header, windowBytes)
    const field = layer.schema.geometry
    this.#geometry = field === undefined ? undefined : new ShapeGeometry(shapeBase(field.type), field)
    this.#builder = this.#bindTo(new BatchBuilder(this.#schema))
  }

  async readBatch(): Promise<PlacedBatch | undefined> {
    let isPausing = false
    while (!this.#builder.isFull && !isPausing) {
      const isInMemory = this.#fillBlock()
      this.#appendBlock()
      if (!isInMemory && !(await this.#loadRow())) break
      isPausing = this.#geometry !== undefined && this.#geometry.groups.work > this.#pauseAt
    }
    if (isPausing) {
      this.#pauseAt = (this.#geometry?.groups.work ?? 0) + pauseAfterWork
      await setImmediate()
    }
    if (this.#builder.isEmpty && !isPausing) return undefined
    return this.#finish()
  }

  /** Adds rows to the block until it is full; returns false if the next row must be read first. */
  #fillBlock(): boolean {
    const shapes = this.#shapes
    const rows = this.#rows
    const block = this.#block
    const { room } = this.#builder
    while (!block.isFull(room)) {
      if (shapes !== undefined && !shapes.tryNext()) return false
      if (rows !== undefined && !rows.tryNext(shapes !== undefined)) {
        this.#hasNextShape = shapes !== undefined
        return false
      }
      this.#addRow(shapes, rows)
    }
    return true
  }

  /** Reads the next row and adds it to the block, which must be empty; returns false at the end. */
  async #loadRow(): Promise<boolean> {
    const shapes = this.#shapes
    const rows = this.#rows
    const hasShape = this.#hasNextShape || (shapes !== undefined && (await shapes.load()))
    this.#hasNextShape = false
    const hasRow = rows !== undefined && (rows.tryNext(hasShape) || (await rows.load(hasShape)))
    if (!hasShape && !hasRow) return false
    this.#addRow(hasShape ? shapes : undefined, hasRow ? rows : undefined)
    return true
  }

  #addRow(shapes: ShapeRecords | undefined, rows: DbfRows | undefined): void {
    this.#row += 1
    if (rows?.isDeleted === true) return
    const block = this.#block
    if (shapes !== this.#shapes || rows !== this.#rows) block.isWhole = false
    block.add(this.#row, shapes, rows)
  }

  /** Yields the rows at these locations, as `readBatch` returned them. */
  async *readPlaced(
    { rows: numbers, places }: RowOffsets,
    signal: AbortSignal,
  ): AsyncGenerator<FeatureBatch> {
    const block = this.#block
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] as number
      const [place = 0, length = 0] = places.subarray(index * placeNumbers, (index + 1) * placeNumbers)
      if (place !== 0) await this.#shapes?.seek(place * 2, (length & ~tableFlag) * 2)
      const rows = (length & tableFlag) === 0 ? undefined : this.#rows
      if (rows !== undefined && !(await rows.seek(number))) {
        throw new FormatError(`Row ${number} of the .dbf no longer exists`, { code: 'file-changed' })
      }
      block.add(number, place === 0 ? undefined : this.#shapes, rows)
      this.#appendRow(0)
      block.clear()
      if (!this.#builder.isFull) continue
      signal.throwIfAborted()
      yield this.#finish().batch
    }
    if (!this.#builder.isEmpty) yield this.#finish().batch
  }

  #finish(): PlacedBatch {
    const batch = this.#builder.finish()
    this.#builder = this.#bindTo(this.#builder.next())
    return { batch, places: this.#places.take(batch.rowCount) }
  }

  /** Sets where the readers of values append. */
  #bindTo(builder: BatchBuilder): BatchBuilder {
    this.#readers = this.#columns.map((column, index) =>
      bindDbfReader(column, builder.columns[index] as ColumnBuilder, this.#encoding, this.#parts.memo),
    )
    this.#columnReaders = this.#columns.map((column, index) => {
      const target = builder.columns[index] as ColumnBuilder
      return bindDbfColumnReader(column, target, this.#encoding, this.#readers[index] as DbfValueReader)
    })
    return builder
  }

  /** Appends the rows of the block column by column; row by row if a part of them is missing or unreadable. */
  #appendBlock(): void {
    const block = this.#block
    if (block.count === 0) return
    if (this.#rows !== undefined) {
      block.bytes = this.#rows.bytes
      block.view = this.#rows.view
    }
    if (!block.isWhole || !this.#appendColumns()) {
      for (let index = 0; index < block.count; index += 1) this.#appendRow(index)
    }
    block.clear()
  }

  #appendColumns(): boolean {
    const builder = this.#builder
    const block = this.#block
    if (!this.#appendShapes() || !this.#columnReaders.every((read) => read(block))) {
      builder.abandonRows()
      return false
    }
    for (let index = 0; index < block.count; index += 1) this.#notePlace(builder.rowCount + index, index)
    builder.endRows(block.numbers, block.count)
    return true
  }

  #appendShapes(): boolean {
    const target = this.#builder.geometry
    if (target === undefined || this.#geometry === undefined || this.#shapes === undefined) return true
    try {
      this.#geometry.appendAll(target, this.#shapes.view, this.#block)
      return true
    } catch (error) {
      if (error instanceof GeometryError) return false
      throw error
    }
  }

  /**
   * Records offset and length of the record in 16-bit words, as in a .shx, 0 if there is none; the flag is
   * added to the length.
   */
  #notePlace(row: number, index: number): void {
    const { places, lengths, rows } = this.#block
    const length = Math.max(0, lengths[index] as number) / 2
    this.#places.note(row, places[index] as number, length | (rows[index] === -1 ? 0 : tableFlag))
  }

  #appendRow(index: number): void {
    const builder = this.#builder
    const { rows, numbers } = this.#block
    const geometryStart = builder.geometry?.byteLength ?? 0
    const at = rows[index] as number
    const problem = this.#appendShape(index)
    if (problem !== undefined) {
      this.#reject(index, { reason: problem })
      return
    }
    if (at >= 0 && this.#rows !== undefined) {
      const { bytes } = this.#rows
      for (const [number, column] of this.#columns.entries()) {
        const reason = this.#readers[number]?.(bytes, at + column.field.offset)
        if (reason === undefined) continue
        this.#rejectValue(index, column, reason, geometryStart)
        return
      }
    }
    this.#notePlace(builder.rowCount, index)
    builder.endRow(numbers[index] as number)
  }

  /** Returns the reason if the shape is unreadable. */
  #appendShape(index: number): string | undefined {
    const target = this.#builder.geometry
    const { starts, lengths, problems } = this.#block
    const problem = problems.get(index)
    if (problem !== undefined) return problem
    const length = lengths[index] as number
    const shapes = this.#shapes
    if (target === undefined || this.#geometry === undefined || shapes === undefined || length < 0) {
      return undefined
    }
    try {
      this.#geometry.append(target, shapes.view, starts[index] as number, length)
      return undefined
    } catch (error) {
      if (error instanceof GeometryError) return error.message
      throw error
    }
  }

  #rejectValue(index: number, column: DbfColumn, reason: string, geometryStart: number): void {
    const { geometry } = this.#builder
    const wkb = geometry?.reserve(0).slice(geometryStart, geometry.byteLength)
    const field = column.attribute.name
    const value = this.#text(index, column).slice(0, 200)
    const reject: Omit<RejectedRow, 'row'> = {
      field,
      value,
      reason: `Field "${field}": "${value}" ${reason}`,
    }
    if (wkb !== undefined && wkb.length > 0) reject.geometry = wkb
    this.#reject(index, reject)
  }

  #reject(index: number, reject: Omit<RejectedRow, 'row'>): void {
    const { numbers, rows } = this.#block
    const whole: RejectedRow = { row: numbers[index] as number, ...reject }
    if (rows[index] !== -1) {
      const values = this.#columns.map((column) => [column.attribute.name, this.#text(index, column)])
      whole.properties = Object.fromEntries(values)
    }
    this.#builder.rejectRow(whole)
  }

  #text(index: number, { kind, field }: DbfColumn): string {
    const bytes = this.#rows?.bytes ?? new Uint8Array(0)
    const start = (this.#block.rows[index] as number) + field.offset
    if (kind !== 'text') return rawText(bytes, start, field.width)
    return this.#encoding
      .decode(bytes, start, start + field.width)
      .replace(/\0.*$/s, '')
      .trimEnd()
  }
}

function shapeBase(type: string): 'Point' | 'MultiPoint' | 'PolyLine' | 'Polygon' {
  if (type === 'Point' || type === 'MultiPoint') return type
  return type.endsWith('LineString') ? 'PolyLine' : 'Polygon'
}
