import type { Column } from './column.ts'
import type { ColumnBuilder } from './column-builder.ts'
import { createColumnBuilder } from './column-builder.ts'
import type { GeometryColumn } from './geometry-builder.ts'
import { GeometryBuilder } from './geometry-builder.ts'
import type { Schema } from './schema.ts'

/** Maximum number of rows in a batch: larger batches cost memory without being faster. */
export const batchRows = 2048
/** A batch is also full when its geometries or texts reach this many bytes. */
export const batchBytes = 1 << 20
/** Free space for geometries, so that those of the next batch may be a little larger. */
const reserveBytes = 1 << 14

/** A row that was not loaded, with a reason that a user can act on. `row` counts from 1 in the source. */
export interface RejectedRow {
  row: number
  field?: string
  /** The invalid value as in the source, cut to 200 characters. */
  value?: string
  reason: string
  /** Attribute values that could be read, by source name. */
  properties?: Record<string, unknown>
  /** The geometry as WKB, if it could be read. */
  geometry?: Uint8Array
}

/**
 * Some thousand rows in columns. Every row read is either in the columns or in `rejects`, never in both. A
 * batch is immutable once passed on; a transformation creates a new one that shares unchanged columns.
 */
export interface FeatureBatch {
  schema: Schema
  rowCount: number
  /** One column per attribute of the schema, in order. */
  columns: Column[]
  /** Present exactly when the schema has a geometry. */
  geometry: GeometryColumn | undefined
  /** Number of each row in the source, from 1. */
  rowNumbers: Float64Array
  rejects: RejectedRow[]
  /**
   * Only from readers: text of rejected rows whose values could not be separated, by row number, as in the
   * source, cut to 64 KiB.
   */
  texts?: ReadonlyMap<number, string>
}

/**
 * Builds one batch row by row: append to columns and geometry in any order, then call `endRow`, which sets
 * missing values to null; or `rejectRow`, which removes the row. Not reusable after `finish`.
 */
export class BatchBuilder {
  readonly schema: Schema
  readonly columns: ColumnBuilder[]
  readonly geometry: GeometryBuilder | undefined
  readonly rejects: RejectedRow[] = []
  rowCount = 0
  #texts: Map<number, string> | undefined
  readonly #rowNumbers: Float64Array
  readonly #capacity: number
  readonly #wide: { readonly byteLength: number }[]

  constructor(schema: Schema, capacity = batchRows, geometryBytes?: number) {
    this.schema = schema
    this.#capacity = capacity
    this.columns = schema.attributes.map((attribute) => createColumnBuilder(attribute.type, capacity))
    this.geometry = schema.geometry === undefined ? undefined : new GeometryBuilder(capacity, geometryBytes)
    this.#rowNumbers = new Float64Array(capacity)
    this.#wide = this.columns.filter((column) => column.kind === 'var')
    if (this.geometry !== undefined) this.#wide.push(this.geometry)
  }

  /** Number of rows for which the batch has space. */
  get room(): number {
    return this.#capacity - this.rowCount
  }

  /**
   * Returns a builder for the next batch with as much space for geometries as this one has used, because
   * growing copies them.
   */
  next(): BatchBuilder {
    return new BatchBuilder(this.schema, this.#capacity, (this.geometry?.byteLength ?? 0) + reserveBytes)
  }

  get isEmpty(): boolean {
    return this.rowCount === 0 && this.rejects.length === 0
  }

  /** True if the batch is full and should be passed on. */
  get isFull(): boolean {
    if (this.rowCount >= this.#capacity || this.rejects.length >= this.#capacity) return true
    for (const column of this.#wide) if (column.byteLength >= batchBytes) return true
    return false
  }

  endRow(rowNumber: number): void {
    this.#rowNumbers[this.rowCount] = rowNumber
    const rows = this.rowCount + 1
    this.rowCount = rows
    for (const column of this.columns) if (column.length < rows) column.padTo(rows)
    if (this.geometry !== undefined && this.geometry.length < rows) this.geometry.padTo(rows)
  }

  /** Ends `count` rows, for which all values and geometries were appended. */
  endRows(rowNumbers: Float64Array, count: number): void {
    this.#rowNumbers.set(rowNumbers.subarray(0, count), this.rowCount)
    this.rowCount += count
  }

  /** Removes the values since the last `endRow` or `endRows`. */
  abandonRows(): void {
    for (const column of this.columns) column.truncate(this.rowCount)
    this.geometry?.truncate(this.rowCount)
  }

  /** Removes the values since the last `endRow` and records the reason; `text` is the complete row if it cannot be split. */
  rejectRow(reject: RejectedRow, text?: string): void {
    if (text !== undefined) {
      this.#texts ??= new Map()
      this.#texts.set(reject.row, text)
    }
    this.abandonRows()
    this.rejects.push(reject)
  }

  finish(): FeatureBatch {
    return {
      schema: this.schema,
      rowCount: this.rowCount,
      columns: this.columns.map((column) => column.finish()),
      geometry: this.geometry?.finish(),
      rowNumbers: this.#rowNumbers.subarray(0, this.rowCount),
      rejects: this.rejects,
      texts: this.#texts,
    }
  }
}
