import { setImmediate } from 'node:timers/promises'
import { BatchBuilder, type FeatureBatch, type RejectedRow } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { getTextEncoding, type TextEncoding } from '../../lib/text-encoding.ts'
import type { DataFile, LayerDescription, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { type DbfColumn, dbfColumns } from './dbf-columns.ts'
import { DbfRows } from './dbf-rows.ts'
import { bindReader, rawText, type ValueReader } from './dbf-values.ts'
import { ShapeGeometry } from './shape-geometry.ts'
import { ShapeRecords } from './shape-records.ts'
import { pauseAfterWork } from './shape-scan.ts'
import { openParts, type ShapefileParts } from './shapefile-parts.ts'

/** Streams the rows: shape and attributes of one number side by side. */
export async function* readShapefile(
  file: DataFile,
  layer: LayerDescription,
  context: ReadContext,
): AsyncGenerator<FeatureBatch> {
  const parts = await openParts(file, context.signal)
  try {
    const rows = new RowReader(parts, layer)
    for (let batch = await rows.readBatch(); batch !== undefined; batch = await rows.readBatch()) {
      context.signal.throwIfAborted()
      yield batch
    }
  } finally {
    await parts.close()
  }
}

class RowReader {
  readonly #schema: Schema
  readonly #encoding: TextEncoding
  readonly #parts: ShapefileParts
  readonly #columns: DbfColumn[]
  readonly #offsets: Uint32Array
  readonly #shapes: ShapeRecords
  readonly #rows: DbfRows | undefined
  readonly #geometry: ShapeGeometry | undefined
  #builder: BatchBuilder
  #readers: ValueReader[] = []
  #row = 0
  #pauseAt = pauseAfterWork

  constructor(parts: ShapefileParts, layer: LayerDescription) {
    this.#parts = parts
    this.#schema = layer.schema
    this.#encoding = getTextEncoding(layer.charset ?? 'UTF-8')
    const { dbf } = parts
    this.#columns = dbf === undefined ? [] : dbfColumns(dbf.header.fields, this.#encoding)
    this.#offsets = Uint32Array.from(this.#columns, (column) => column.field.offset)
    const names = this.#columns.map((column) => `${column.attribute.name} ${column.attribute.type}`)
    const expected = layer.schema.attributes.map((attribute) => `${attribute.name} ${attribute.type}`)
    if (names.join() !== expected.join()) {
      throw new FormatError('The fields of the .dbf changed since it was examined', { code: 'file-changed' })
    }
    this.#shapes = new ShapeRecords(parts.shp, parts.header.declaredBytes, parts.shx)
    this.#rows = dbf === undefined ? undefined : new DbfRows(dbf.file, dbf.header)
    const field = layer.schema.geometry
    this.#geometry = field === undefined ? undefined : new ShapeGeometry(shapeBase(field.type), field)
    this.#builder = this.#nextBuilder()
  }

  async readBatch(): Promise<FeatureBatch | undefined> {
    const shapes = this.#shapes
    const rows = this.#rows
    let isPausing = false
    while (!this.#builder.isFull && !isPausing) {
      const hasShape = shapes.tryNext() || (await shapes.load())
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
    const batch = this.#builder.finish()
    this.#builder = this.#nextBuilder()
    return batch
  }

  #nextBuilder(): BatchBuilder {
    const builder = new BatchBuilder(this.#schema)
    this.#readers = builder.columns.map((column, index) =>
      bindReader(this.#columns[index] as DbfColumn, column, this.#encoding, this.#parts.memo),
    )
    return builder
  }

  #appendRow(hasShape: boolean, rows: DbfRows | undefined): void {
    const builder = this.#builder
    const geometryStart = builder.geometry?.byteLength ?? 0
    const problem = hasShape ? this.#appendShape() : undefined
    if (problem !== undefined) {
      this.#reject(rows, { reason: problem })
      return
    }
    if (rows !== undefined) {
      const { bytes, at } = rows
      const readers = this.#readers
      for (let index = 0; index < readers.length; index += 1) {
        const reason = (readers[index] as ValueReader)(bytes, at + (this.#offsets[index] as number))
        if (reason === undefined) continue
        this.#rejectValue(rows, this.#columns[index] as DbfColumn, reason, geometryStart)
        return
      }
    }
    builder.endRow(this.#row)
  }

  /** Why the shape cannot be read, where that is so. */
  #appendShape(): string | undefined {
    const shapes = this.#shapes
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
