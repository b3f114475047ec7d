import type { FeatureBatch, RejectedRow } from '../geo/batch.ts'
import type { Column } from '../geo/column.ts'
import { columnValue, isBlankText, isValid } from '../geo/column.ts'
import type { ColumnBuilder } from '../geo/column-builder.ts'
import { createColumnBuilder } from '../geo/column-builder.ts'
import type { Attribute, Schema } from '../geo/schema.ts'
import { selectRows } from '../geo/select-rows.ts'
import { dateText, timestampText, timeText } from '../geo/time-text.ts'

/** Appends the value of a non-null row, or returns the reason and appends nothing. */
export type CellConverter = (column: Column, row: number, target: ColumnBuilder) => string | undefined

const maxValueLength = 200

/** Why a row of a batch is rejected. */
export interface RowFailure {
  row: number
  field: string
  value: string
  reason: string
}

/** Formats a value as text for messages. */
export function columnCellText(column: Column, row: number): string {
  const value = columnValue(column, row)
  if (column.type === 'date') return dateText(value as number)
  if (column.type === 'timestamp') return timestampText(value as bigint)
  if (column.type === 'time') return timeText(value as bigint)
  return value instanceof Uint8Array ? `${value.length} bytes` : String(value ?? '').slice(0, maxValueLength)
}

function toReject(batch: FeatureBatch, failure: RowFailure): RejectedRow {
  const { row, field, value, reason } = failure
  const cells = batch.schema.attributes.map((attribute, index): [string, unknown] => {
    const column = batch.columns[index] as Column
    const isTime = attribute.type === 'date' || attribute.type === 'time' || attribute.type === 'timestamp'
    const cell = columnValue(column, row)
    return [attribute.source ?? attribute.name, isTime && cell !== null ? columnCellText(column, row) : cell]
  })
  const properties = Object.fromEntries(cells)
  const reject: RejectedRow = { row: batch.rowNumbers[row] as number, field, value, reason, properties }
  const { geometry } = batch
  if (geometry !== undefined && isValid(geometry.validity, row)) {
    reject.geometry = geometry.bytes.slice(geometry.offsets[row], geometry.offsets[row + 1])
  }
  return reject
}

/**
 * Returns `changed` without the failed rows, which become rejects with their values in `before`; failures are
 * in row order, and a row may have several.
 */
export function withoutFailures(
  before: FeatureBatch,
  changed: FeatureBatch,
  failures: readonly RowFailure[],
): FeatureBatch {
  if (failures.length === 0) return changed
  const first = new Map<number, RowFailure>()
  for (const failure of failures) if (!first.has(failure.row)) first.set(failure.row, failure)
  const rows = new Uint32Array(changed.rowCount - first.size)
  for (let row = 0, at = 0; row < changed.rowCount; row += 1) {
    if (!first.has(row)) {
      rows[at] = row
      at += 1
    }
  }
  const rejects = [...first.values()].map((failure) => toReject(before, failure))
  return { ...selectRows(changed, rows), rejects: [...before.rejects, ...rejects] }
}

/** Returns the schema with one attribute replaced. */
export function replaceAttribute(schema: Schema, index: number, attribute: Attribute): Schema {
  return { ...schema, attributes: schema.attributes.with(index, attribute) }
}

/**
 * Returns the batch with one column converted cell by cell; all others are shared. Null stays null, and blank
 * text becomes null if the target is not text.
 */
export function convertBatchColumn(
  batch: FeatureBatch,
  index: number,
  schema: Schema,
  convert: CellConverter,
): FeatureBatch {
  const column = batch.columns[index] as Column
  const { name, type } = schema.attributes[index] as Attribute
  const builder = createColumnBuilder(type, batch.rowCount)
  const failures: RowFailure[] = []
  for (let row = 0; row < batch.rowCount; row += 1) {
    const isNull = column.nullCount > 0 && !isValid(column.validity, row)
    if (isNull || (type !== 'text' && isBlankText(column, row))) {
      builder.appendNull()
      continue
    }
    const reason = convert(column, row, builder)
    if (reason === undefined) continue
    builder.appendNull()
    failures.push({ row, field: name, value: columnCellText(column, row), reason })
  }
  const changed = { ...batch, schema, columns: batch.columns.with(index, builder.finish()) }
  return withoutFailures(batch, changed, failures)
}
