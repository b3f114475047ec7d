import { hasQuantiles, idsWhere } from '../metrics/metrics.ts'
import type { LabelRef, SeriesRef } from './dictionary.ts'
import { OtherSketch } from './other-sketch.ts'
import { QuantileSketch } from './quantile-sketch.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'

/** Sketch of a row of a metric with quantiles, or of `(other)`. */
export type RowSketch = QuantileSketch | OtherSketch

const withQuantiles = idsWhere(hasQuantiles)

export function decodeSketch(metricId: number, bytes: Uint8Array): RowSketch {
  return withQuantiles.has(metricId) ? QuantileSketch.decode(bytes) : OtherSketch.decode(bytes)
}

/** Merges another sketch of the same metric. */
export function mergeSketch(sketch: RowSketch, other: RowSketch): void {
  if (sketch instanceof QuantileSketch && other instanceof QuantileSketch) sketch.merge(other)
  if (sketch instanceof OtherSketch && other instanceof OtherSketch) sketch.merge(other)
}

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
