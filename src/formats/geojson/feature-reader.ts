import { BatchBuilder, batchBytes, batchRows } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { isMultiType } from '../../geo/geometry-shape.ts'
import type { Schema } from '../../geo/schema.ts'
import { RowError } from '../reject-writer.ts'
import type { FeatureTarget } from './feature-parser.ts'
import { parseFeature, parseObject } from './feature-parser.ts'
import { GeometryParser } from './geometry-parser.ts'
import type { JsonScanner } from './json-scanner.ts'
import { NameIndex } from './name-index.ts'
import type { RecordSink } from './record.ts'
import { makeReject, rejectText } from './reject.ts'
import { appendJsonValue } from './value-reader.ts'

/** Marks the attribute for the `id` member of features, which is not a property. */
export const featureIdSource = 'feature id'
/** Wide schemas get batches with fewer rows, to limit the memory of a batch. */
const valuesPerBatch = batchRows * 64

/** Fills batches from features. */
export class FeatureReader implements RecordSink, FeatureTarget {
  readonly geometry: GeometryParser
  readonly #scanner: JsonScanner
  readonly #schema: Schema
  readonly #names = new NameIndex()
  /** True if the first attribute is the id. */
  readonly #hasId: boolean
  readonly #capacity: number
  #batch: BatchBuilder
  #columns: ColumnBuilder[]
  #points: GeometryBuilder
  #rejectBytes = 0

  constructor(scanner: JsonScanner, schema: Schema) {
    this.#scanner = scanner
    this.#schema = schema
    this.#hasId = schema.attributes[0]?.source === featureIdSource
    for (const { name, source } of schema.attributes) if (source !== featureIdSource) this.#names.add(name)
    this.#capacity = Math.max(
      16,
      Math.min(batchRows, Math.floor(valuesPerBatch / (schema.attributes.length + 1))),
    )
    this.#batch = new BatchBuilder(schema, this.#capacity)
    this.#columns = this.#batch.columns
    this.#points = this.#batch.geometry ?? new GeometryBuilder(this.#capacity)
    const { type, hasZ, hasM } = schema.geometry ?? { type: 'Geometry', hasZ: false, hasM: false }
    this.geometry = new GeometryParser(scanner, this.#points, { isMulti: isMultiType(type), hasZ, hasM })
  }

  takeFeature(): void {
    this.#scanner.notFinite.length = 0
    parseFeature(this.#scanner, this)
  }

  takeObject(): void {
    this.#scanner.notFinite.length = 0
    parseObject(this.#scanner, this)
  }

  beforeGeometry(): void {
    if (this.#points.length > this.#batch.rowCount) this.#points.truncate(this.#batch.rowCount)
  }

  afterGeometry(): void {}

  property(): void {
    const index = this.#names.pass(this.#scanner)
    if (index >= 0) this.#append(this.#hasId ? index + 1 : index)
    else this.#scanner.value()
  }

  id(): void {
    if (this.#hasId) this.#append(0)
    else this.#scanner.value()
  }

  /** An object may contain a name twice: the last value counts, as in `JSON.parse`. */
  #append(index: number): void {
    const column = this.#columns[index] as ColumnBuilder
    if (column.length > this.#batch.rowCount) column.truncate(this.#batch.rowCount)
    try {
      appendJsonValue(this.#scanner, column)
    } catch (error) {
      if (error instanceof RowError) error.field = this.#schema.attributes[index]?.name
      throw error
    }
  }

  commit(row: number): void {
    this.#batch.endRow(row)
  }

  undo(): void {
    const rows = this.#batch.rowCount
    for (const column of this.#columns) column.truncate(rows)
    this.#points.truncate(rows)
  }

  reject(row: number, error: Error, start: number, end: number): void {
    this.#rejectBytes += end - start
    const bytes = this.#scanner.bytes.subarray(start, end)
    const reject = makeReject(row, error, bytes)
    this.#batch.rejectRow(reject, rejectText(reject, bytes))
  }

  get isFull(): boolean {
    return this.#batch.isFull || this.#rejectBytes >= batchBytes
  }

  get isEmpty(): boolean {
    return this.#batch.isEmpty
  }

  /** Returns the batch so far; further rows go into a new one. */
  takeBatch(): ReturnType<BatchBuilder['finish']> {
    const batch = this.#batch.finish()
    this.#rejectBytes = 0
    this.#batch = this.#batch.next()
    this.#columns = this.#batch.columns
    this.#points = this.#batch.geometry ?? new GeometryBuilder(this.#capacity)
    this.geometry.builder = this.#points
    return batch
  }
}
