import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import type { LoadHooks } from '../store.ts'

/** Hands on the batches and, at their end, says how many values SQLite keeps as null, as it has no NaN. */
export async function* tellNaN(
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): AsyncGenerator<FeatureBatch> {
  const counts = new Map<string, number>()
  for await (const batch of batches) {
    for (const [index, column] of batch.columns.entries()) {
      const count = countNaN(column, batch.rowCount)
      const name = batch.schema.attributes[index]?.name ?? ''
      if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count)
    }
    yield batch
  }
  for (const [name, count] of counts) {
    const message = `Field "${name}": ${count} values are NaN, which a GeoPackage cannot hold, and became null`
    hooks.onMessage({ level: 'warning', code: 'nan-is-null', message })
  }
}

function countNaN(column: Column, rowCount: number): number {
  if (column.type !== 'float32' && column.type !== 'float64') return 0
  let count = 0
  for (let row = 0; row < rowCount; row += 1) {
    if (Number.isNaN(column.values[row]) && isValid(column.validity, row)) count += 1
  }
  return count
}
