import type { LabelRef, SeriesRef } from './dictionary.ts'
import type { RowSketch } from './row-sketch.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'

/** A row of the tables of minutes, hours and days: see `schema.ts`. */
export interface StoredRow {
  series: SeriesRef
  label: LabelRef
  period: number
  sum: number
  weighted: number
  min: number
  max: number
  samples: number
  count: number
  labels: number
  users: number
  sketch: RowSketch | null
}

export const rowColumns = [
  'series_id',
  'period',
  'label_id',
  'sum',
  'weighted',
  'min',
  'max',
  'samples',
  'count',
  'labels',
  'users',
  'sketch',
] as const

/** Writes rows whose series and labels have ids, in the order of the tables' keys. */
export async function insertStoredRows(
  database: SeriesDatabase,
  table: string,
  rows: StoredRow[],
  conflict = '',
): Promise<void> {
  rows.sort((a, b) => a.series.id - b.series.id || a.period - b.period || a.label.id - b.label.id)
  await database.insert(table, rowColumns, rows.map(valuesOf), conflict)
}

function valuesOf(row: StoredRow): SqlValue[] {
  return [
    row.series.id,
    row.period,
    row.label.id,
    row.sum,
    row.weighted,
    row.min,
    row.max,
    row.samples,
    row.count,
    row.labels,
    row.users,
    row.sketch?.encode() ?? null,
  ]
}
