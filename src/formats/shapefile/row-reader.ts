import { setImmediate } from 'node:timers/promises'
import { getTextEncoding, type TextEncoding } from '../../core/text/text-encoding.ts'
import { BatchBuilder, type FeatureBatch, type RejectedRow } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { LayerDescription, PlacedBatch, RowAccessOptions, RowOffsets } from '../format.ts'
import { FormatError, OffsetRecorder, placeNumbers } from '../format.ts'
import { type DbfColumn, dbfColumns } from './dbf-columns.ts'
import { DbfRows } from './dbf-rows.ts'
import { bindDbfReader, type DbfValueReader, rawText } from './dbf-values.ts'
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
  readonly #offsets: Uint32Array
  readonly #shapes: ShapeRecords | undefined
  readonly #rows: DbfRows | undefined
  readonly #geometry: ShapeGeometry | undefined
  #builder: BatchBuilder
  #readers: DbfValueReader[] = []
  #row = 0
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
    this.#offsets = Uint32Array.from(this.#columns, (column) => column.field.offset)
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
    this.#builder = this.#nextBuilder()
  }

  async readBatch(): Promise<PlacedBatch | undefined> {
    const shapes = this.#shapes
    const rows = this.#rows
    let isPausing = false
    while (!this.#builder.isFull && !isPausing) {
      const hasShape = shapes !== undefined && (shapes.tryNext() || (await shapes.load()))
      const hasRow = rows !== undefined && (rows.tryNext(hasShape) || (await rows.load(hasShape)))
      if (!hasShape && !hasRow) break
      this.#row += 1
      if (!(hasRow && rows.isDeleted)) this.#appendRow(hasShape, hasRow ? rows : undefined)
      isPausing = this.#geometry !== undefined && this.#geometry.groups.work > this.#pauseAt
    }
    if (isPausing) {
      this.#pauseAt = (this.#geometry?.groups.work ?? 0) + pauseAfterWork
      await setImmediate()
    }
    if (this.#builder.isEmpty && !isPausing) return undefined
    return this.#finish()
  }

  /** Yields the rows at these locations, as `readBatch` returned them. */
  async *readPlaced(
    { rows: numbers, places }: RowOffsets,
    signal: AbortSignal,
  ): AsyncGenerator<FeatureBatch> {
    for (let index = 0; index < numbers.length; index += 1) {
      this.#row = numbers[index] as number
      const [place = 0, length = 0] = places.subarray(index * placeNumbers, (index + 1) * placeNumbers)
      if (place !== 0) await this.#shapes?.seek(place * 2, (length & ~tableFlag) * 2)
      const rows = (length & tableFlag) === 0 ? undefined : this.#rows
      if (rows !== undefined && !(await rows.seek(this.#row))) {
        throw new FormatError(`Row ${this.#row} of the .dbf is not there any more`, { code: 'file-changed' })
      }
      this.#appendRow(place !== 0, rows)
      if (!this.#builder.isFull) continue
      signal.throwIfAborted()
      yield this.#finish().batch
    }
    if (!this.#builder.isEmpty) yield this.#finish().batch
  }

  #finish(): PlacedBatch {
    const batch = this.#builder.finish()
    this.#builder = this.#nextBuilder()
    return { batch, places: this.#places.take(batch.rowCount) }
  }

  /**
   * Records offset and length of the record in 16-bit words, as in a .shx, 0 if there is none; the flag is
   * added to the length.
   */
  #notePlace(hasShape: boolean, hasRow: boolean): void {
    const shapes =
      hasShape && this.#shapes !== undefined && this.#shapes.length >= 0 ? this.#shapes : undefined
    const [place, length] = shapes === undefined ? [0, 0] : [shapes.place / 2, shapes.length / 2]
    this.#places.note(this.#builder.rowCount, place, length | (hasRow ? tableFlag : 0))
  }

  #nextBuilder(): BatchBuilder {
    const builder = new BatchBuilder(this.#schema)
    this.#readers = builder.columns.map((column, index) =>
      bindDbfReader(this.#columns[index] as DbfColumn, column, this.#encoding, this.#parts.memo),
    )
    return builder
  }

  #appendRow(hasShape: boolean, rows: DbfRows | undefined): void {
    const builder = this.#builder
    const geometryStart = builder.geometry?.byteLength ?? 0
    const problem = hasShape && this.#shapes !== undefined ? this.#appendShape(this.#shapes) : undefined
    if (problem !== undefined) {
      this.#reject(rows, { reason: problem })
      return
    }
    if (rows !== undefined) {
      const { bytes, at } = rows
      const readers = this.#readers
      for (let index = 0; index < readers.length; index += 1) {
        const reason = (readers[index] as DbfValueReader)(bytes, at + (this.#offsets[index] as number))
        if (reason === undefined) continue
        this.#rejectValue(rows, this.#columns[index] as DbfColumn, reason, geometryStart)
        return
      }
    }
    this.#notePlace(hasShape, rows !== undefined)
    builder.endRow(this.#row)
  }

  /** Returns the reason if the shape is unreadable. */
  #appendShape(shapes: ShapeRecords): string | undefined {
    const target = this.#builder.geometry
    if (shapes.problem !== undefined) return shapes.problem
    if (target === undefined || this.#geometry === undefined || shapes.length < 0) return undefined
    try {
      this.#geometry.append(target, shapes.view, shapes.start, shapes.length)
      return undefined
    } catch (error) {
      if (error instanceof GeometryError) return error.message
      throw error
    }
  }

  #rejectValue(rows: DbfRows, column: DbfColumn, reason: string, geometryStart: number): void {
    const { geometry } = this.#builder
    const wkb = geometry?.reserve(0).slice(geometryStart, geometry.byteLength)
    const field = column.attribute.name
    const value = this.#text(rows, column).slice(0, 200)
    const reject: Omit<RejectedRow, 'row'> = {
      field,
      value,
      reason: `Field "${field}": "${value}" ${reason}`,
    }
    if (wkb !== undefined && wkb.length > 0) reject.geometry = wkb
    this.#reject(rows, reject)
  }

  #reject(rows: DbfRows | undefined, reject: Omit<RejectedRow, 'row'>): void {
    const whole: RejectedRow = { row: this.#row, ...reject }
    if (rows !== undefined) {
      const values = this.#columns.map((column) => [column.attribute.name, this.#text(rows, column)])
      whole.properties = Object.fromEntries(values)
    }
    this.#builder.rejectRow(whole)
  }

  #text({ bytes, at }: DbfRows, { kind, field }: DbfColumn): string {
    const start = at + field.offset
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
