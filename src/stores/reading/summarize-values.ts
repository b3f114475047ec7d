import type { Column } from '../../geo/column.ts'
import { columnValue } from '../../geo/column.ts'
import { attributeIndex } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import {
  type ClassifyMethod,
  type SummaryValue,
  ValueSummarizer,
  type ValueSummary,
} from '../../styles/worker.ts'
import type { VectorStore } from '../store.ts'

/** Values to read, and the purpose. */
export interface ValueSummaryRequest {
  table: string
  attribute: string
  method: ClassifyMethod
  classes: number
}

/** Reads every value of a column; runs in a reader. */
export async function summarizeValues(
  store: Pick<VectorStore, 'readFeatures'>,
  { table, attribute, method, classes }: ValueSummaryRequest,
  signal: AbortSignal,
): Promise<ValueSummary> {
  const summarizer = new ValueSummarizer(method, classes)
  const all = { table, limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  for await (const { batch } of store.readFeatures(all, signal)) {
    signal.throwIfAborted()
    const column = batch.columns[attributeIndex(batch.schema, attribute)]
    for (let row = 0; row < batch.rowCount; row += 1) summarizer.add(column && summaryValue(column, row))
  }
  return summarizer.finish()
}

/** Returns a value in the form of tiles and JSON. */
function summaryValue(column: Column, row: number): SummaryValue | undefined {
  const value = columnValue(column, row)
  if (value === null || value instanceof Uint8Array) return undefined
  if (column.type === 'date') return dateText(value as number)
  if (column.type === 'time') return timeText(value as bigint)
  if (column.type === 'timestamp') return timestampText(value as bigint)
  return typeof value === 'bigint' ? Number(value) : value
}
