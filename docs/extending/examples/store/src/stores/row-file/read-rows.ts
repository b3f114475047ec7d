import { BatchBuilder, batchRows } from '../../geo/batch.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { areaTest } from '../../geo/polygon-test.ts'
import type { Schema } from '../../geo/schema.ts'
import type { FeaturePage, FeatureQuery } from '../store.ts'
import type { StoredRow, StoredTable, StoredValue } from './row-file.ts'

const dayMs = 86_400_000

interface Numbered {
  id: number
  row: StoredRow
}

/** The rows of a table that match, in the order of their ids. */
export function matchRows(
  { rows, firstId, schema }: StoredTable,
  { bboxes, time, featureId, featureIds }: Omit<FeatureQuery, 'limit' | 'offset'>,
): Numbered[] {
  const boxes = bboxes?.map((box) => areaTest(box))
  const isNear = ({ geometry }: StoredRow): boolean =>
    boxes === undefined || geometry === undefined || boxes.some((box) => box.touches(geometry, 0))
  const isThen = timeTest(schema, time)
  const isRequested = (id: string): boolean =>
    (featureId === undefined || id === featureId) && (featureIds === undefined || featureIds.includes(id))
  return rows
    .map((row, at) => ({ id: firstId + at, row }))
    .filter(({ id, row }) => isRequested(String(id)) && isNear(row) && isThen(row))
}

/** A date is a whole day, a timestamp (microseconds) a moment. */
function timeTest(schema: Schema, time: FeatureQuery['time']): (row: StoredRow) => boolean {
  if (time === undefined) return () => true
  const column = schema.attributes.findIndex(({ name }) => name === time.attribute)
  const from = time.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time.from)
  const to = time.to === undefined ? Number.POSITIVE_INFINITY : Date.parse(time.to)
  return ({ values }) => {
    const value = values[column]
    if (typeof value === 'bigint') return Number(value) / 1000 >= from && Number(value) / 1000 <= to
    if (typeof value !== 'number') return false
    return (value + 1) * dayMs > from && value * dayMs <= to
  }
}

/** Rows as batches, as every reader gives them. */
export async function* pagesOf(
  schema: Schema,
  rows: readonly Numbered[],
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  for (let at = 0; at < rows.length; at += batchRows) {
    signal.throwIfAborted()
    const piece = rows.slice(at, at + batchRows)
    const builder = new BatchBuilder(schema, piece.length)
    for (const { id, row } of piece) {
      row.values.forEach((value, column) => {
        append(builder.columns[column] as ColumnBuilder, value)
      })
      if (row.geometry !== undefined) builder.geometry?.appendWkb(row.geometry)
      builder.endRow(id)
    }
    yield { batch: builder.finish(), ids: piece.map(({ id }) => String(id)) }
    signal.throwIfAborted()
  }
}

function append(builder: ColumnBuilder, value: StoredValue): void {
  if (value === null) builder.appendNull()
  else if (builder.kind === 'big') builder.append(value as bigint)
  else if (builder.kind === 'fixed') builder.append(Number(value))
  else if (typeof value === 'string') builder.appendString(value)
  else builder.appendBytes(value as Uint8Array)
}
