import { CellParser } from '../../core/values/cell-kind.ts'
import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { BatchBuilder, batchBytes, batchRows } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { GeometryShape } from '../../geo/geometry-shape.ts'
import { isMultiType } from '../../geo/geometry-shape.ts'
import type { Schema } from '../../geo/schema.ts'
import { RowError } from '../reject-writer.ts'
import { FieldNames } from './field-names.ts'
import { appendFieldValue } from './field-value.ts'
import { rejectedValues } from './rejected-values.ts'
import type { RowSink } from './row-sink.ts'
import type { FormatField } from './row-survey.ts'
import type { TextToken } from './xml-scanner.ts'

/** Wide schemas get batches with fewer rows, to limit the memory of a batch. */
const valuesPerBatch = batchRows * 64

/** Fills batches with rows, using the schema that `RowSurvey` found. */
export class XmlRowReader implements RowSink {
  builder: GeometryBuilder
  readonly shape: GeometryShape
  readonly #schema: Schema
  readonly #known: readonly FormatField[]
  readonly #names = new FieldNames()
  /** Column of each field; -1 if it has none. */
  readonly #columnOf: number[]
  readonly #parser = new CellParser()
  readonly #capacity: number
  #batch: BatchBuilder
  #columns: ColumnBuilder[]
  #rejectBytes = 0

  constructor(schema: Schema, known: readonly FormatField[]) {
    this.#schema = schema
    this.#known = known
    const { attributes, geometry } = schema
    this.#columnOf = known.map(({ name }) =>
      attributes.findIndex((attribute) => attribute.source === undefined && attribute.name === name),
    )
    for (const [index, { source }] of attributes.entries()) {
      if (source === undefined) continue
      this.#names.add(source)
      this.#columnOf.push(index)
    }
    const { type, hasZ } = geometry ?? { type: 'Geometry', hasZ: false }
    this.shape = { isMulti: isMultiType(type), hasZ, hasM: false }
    this.#capacity = Math.max(16, Math.min(batchRows, Math.floor(valuesPerBatch / (attributes.length + 1))))
    this.#batch = new BatchBuilder(schema, this.#capacity)
    this.#columns = this.#batch.columns
    this.builder = this.#batch.geometry ?? new GeometryBuilder(this.#capacity)
  }

  field(name: TextToken): number {
    const index = this.#names.find(name)
    return index < 0 ? -1 : this.#known.length + index
  }

  value(field: number, text: TextToken): void {
    const index = this.#columnOf[field] ?? -1
    if (index < 0) return
    const column = this.#columns[index] as ColumnBuilder
    if (column.length > this.#batch.rowCount) column.truncate(this.#batch.rowCount)
    try {
      appendFieldValue(column, text, this.#parser)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      const { textBytes, textStart, textEnd } = text
      const value = Buffer.from(textBytes.subarray(textStart, Math.min(textEnd, textStart + 800))).toString(
        'utf8',
      )
      throw new RowError(error.message, {
        field: this.#schema.attributes[index]?.name ?? '',
        value: value.slice(0, 200),
      })
    }
  }

  geometry(): void {}

  commit(row: number): void {
    this.#batch.endRow(row)
  }

  undo(): void {
    const rows = this.#batch.rowCount
    for (const column of this.#columns) column.truncate(rows)
    this.builder.truncate(rows)
  }

  reject(row: number, error: Error, readAgain: (sink: RowSink) => void): void {
    const reject: RejectedRow = { row, reason: error.message }
    const field = error instanceof RowError ? error.field : 'geometry'
    if (field !== undefined) reject.field = field
    if (error instanceof RowError && error.value !== undefined) reject.value = error.value
    const { properties, sizeBytes } = rejectedValues(this.#known, readAgain)
    reject.properties = properties
    this.#rejectBytes += sizeBytes
    this.#batch.rejectRow(reject)
  }

  get isFull(): boolean {
    return this.#batch.isFull || this.#rejectBytes >= batchBytes
  }

  get isEmpty(): boolean {
    return this.#batch.isEmpty
  }

  /** Returns the batch so far; further rows go into a new one. */
  takeBatch(): FeatureBatch {
    const batch = this.#batch.finish()
    this.#rejectBytes = 0
    this.#batch = this.#batch.next()
    this.#columns = this.#batch.columns
    this.builder = this.#batch.geometry ?? new GeometryBuilder(this.#capacity)
    return batch
  }
}
