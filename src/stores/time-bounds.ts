import { columnValue } from '../geo/column.ts'
import { attributeIndex } from '../geo/schema.ts'
import { dateText, timestampText } from '../geo/time-text.ts'
import type { FeaturePage, TimeBounds } from './store.ts'

/**
 * Returns the first and last date or time of the features; undefined if they have none. Reads all of them.
 */
export async function scanTimeBounds(
  pages: AsyncIterable<FeaturePage>,
  attribute: string,
): Promise<TimeBounds | undefined> {
  let first: number | bigint | undefined
  let last: number | bigint | undefined
  for await (const { batch } of pages) {
    const column = batch.columns[attributeIndex(batch.schema, attribute)]
    if (column === undefined) return undefined
    for (let row = 0; row < batch.rowCount; row += 1) {
      const value = columnValue(column, row)
      if (typeof value !== 'number' && typeof value !== 'bigint') continue
      if (first === undefined || value < first) first = value
      if (last === undefined || value > last) last = value
    }
  }
  return first === undefined || last === undefined ? undefined : { from: textOf(first), to: textOf(last) }
}

function textOf(value: number | bigint): string {
  return typeof value === 'bigint' ? timestampText(value) : dateText(value)
}
