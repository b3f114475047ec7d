import type { Metric } from '../metrics/metrics.ts'
import type { RowTable } from './row-table.ts'

/** Returns the value of a row by the type of its metric. */
export function amountOf({ type }: Metric, rows: RowTable, row: number): number {
  if (type !== 'rate') return rows.get(row, 'sum')
  const samples = rows.get(row, 'samples')
  return samples === 0 ? 0 : rows.get(row, 'weighted') / samples
}
