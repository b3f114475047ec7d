import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { attributeIndex } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import type { VectorStore } from '../store.ts'

/** Values of a column. */
export interface ColumnValues {
  attribute: string
  /** Minimum and maximum, if JSON represents them exactly; dates and times as text. */
  least?: number | string
  largest?: number | string
  /** All values in order, if they are few, for texts and integers. */
  all?: (string | number)[]
}

/** Columns to read. */
export interface ColumnValuesRequest {
  table: string
  attributes: readonly string[]
  /**
   * Time in milliseconds after which the reader gives up and returns no values; starts when the reader
   * starts.
   */
  limitMs: number
}

type Columns = Omit<ColumnValuesRequest, 'limitMs'>

/** Limits on the number and length of values in a list to choose from. */
const maxListed = 30
const longestListed = 100
/** Number of rows after which most columns without a useful result are known. */
const firstRows = 2048

/** Reads every value of the columns; runs in a reader. */
export async function valuesOfColumns(
  store: Pick<VectorStore, 'readFeatures'>,
  { limitMs, ...columns }: ColumnValuesRequest,
  signal: AbortSignal,
): Promise<ColumnValues[]> {
  const limit = AbortSignal.timeout(limitMs)
  return await findValues(store, columns, AbortSignal.any([signal, limit])).catch((error: unknown) => {
    if (limit.aborted && !signal.aborted) return []
    throw error
  })
}

async function findValues(
  store: Pick<VectorStore, 'readFeatures'>,
  { table, attributes }: Columns,
  signal: AbortSignal,
): Promise<ColumnValues[]> {
  const start = await scan(store, { table, attributes }, firstRows, signal)
  if (!start.hasMore) return reported(start.columns)
  const open = start.columns.filter(({ isOpen }) => isOpen).map(({ attribute }) => attribute)
  if (open.length === 0) return []
  const { columns } = await scan(store, { table, attributes: open }, Number.MAX_SAFE_INTEGER, signal)
  return reported(columns)
}

async function scan(
  store: Pick<VectorStore, 'readFeatures'>,
  { table, attributes }: Columns,
  limit: number,
  signal: AbortSignal,
): Promise<{ columns: ColumnScan[]; hasMore: boolean }> {
  const columns = attributes.map((attribute) => new ColumnScan(attribute))
  let rows = 0
  for await (const { batch } of store.readFeatures({ table, limit, offset: 0, attributes }, signal)) {
    signal.throwIfAborted()
    for (const column of columns) column.add(batch)
    rows += batch.rowCount
    if (!columns.some(({ isOpen }) => isOpen)) break
  }
  return { columns, hasMore: rows >= limit }
}

function reported(columns: readonly ColumnScan[]): ColumnValues[] {
  return columns.flatMap((column) => column.finish() ?? [])
}

/** Collects the values of one column. */
class ColumnScan {
  readonly attribute: string
  #type: Column['type'] | undefined
  readonly #different = new Set<string | number | bigint>()
  #isListed = true
  #hasRange = true
  #least: number | bigint | undefined
  #largest: number | bigint | undefined

  constructor(attribute: string) {
    this.attribute = attribute
  }

  /** True if further values may change the result. */
  get isOpen(): boolean {
    return this.#isListed || this.#hasRange
  }

  add({ schema, columns, rowCount }: FeatureBatch): void {
    const column = columns[attributeIndex(schema, this.attribute)]
    if (column === undefined || !this.isOpen) return
    if (this.#type === undefined) this.#begin(column.type)
    if (column.kind === 'var') this.#addTexts(column, rowCount)
    else this.#addNumbers(column, rowCount)
  }

  #begin(type: Column['type']): void {
    this.#type = type
    this.#isListed = type === 'text' || /^int/.test(type)
    this.#hasRange = type !== 'text' && type !== 'binary' && type !== 'boolean'
  }

  #addTexts(column: Extract<Column, { kind: 'var' }>, rowCount: number): void {
    for (let row = 0; row < rowCount && this.isOpen; row += 1) {
      const value = columnValue(column, row)
      if (typeof value !== 'string') continue
      if (column.type === 'decimal') this.#addDecimal(value)
      else this.#list(value)
    }
  }

  /** Adds a decimal if a JSON number represents it exactly in any program (RFC 8259, section 6). */
  #addDecimal(text: string): void {
    const value = Number(text)
    if (!Number.isFinite(value) || text.replace(/^-?0*|[.]/g, '').length > 15) this.#hasRange = false
    this.#widen(value)
  }

  #addNumbers({ values, validity, nullCount }: Exclude<Column, { kind: 'var' }>, rowCount: number): void {
    for (let row = 0; row < rowCount; row += 1) {
      if (nullCount > 0 && !isValid(validity, row)) continue
      const value = values[row] as number | bigint
      if (this.#isListed) this.#list(value)
      if (!this.#hasRange) continue
      if (typeof value === 'number' && !Number.isFinite(value)) this.#hasRange = false
      this.#widen(value)
    }
  }

  #list(value: string | number | bigint): void {
    this.#different.add(value)
    const isLong = typeof value === 'string' && value.length > longestListed
    if (isLong || this.#different.size > maxListed) this.#isListed = false
  }

  #widen(value: number | bigint): void {
    if (this.#least === undefined || value < this.#least) this.#least = value
    if (this.#largest === undefined || value > this.#largest) this.#largest = value
  }

  /** Returns undefined if there is no useful result. */
  finish(): ColumnValues | undefined {
    const { attribute } = this
    if (this.#isListed && this.#different.size > 0) {
      const all = [...this.#different].sort((a, b) => (a < b ? -1 : 1)).map((value) => this.#asJson(value))
      if (all.every((value) => value !== undefined)) return { attribute, all }
    }
    const [least, largest] = [this.#least, this.#largest].map((end) =>
      end === undefined ? undefined : this.#asJson(end),
    )
    if (!this.#hasRange || least === undefined || largest === undefined) return undefined
    return { attribute, least, largest }
  }

  #asJson(value: string | number | bigint): string | number | undefined {
    if (this.#type === 'date') return dateText(Number(value))
    if (this.#type === 'time') return timeText(BigInt(value))
    if (this.#type === 'timestamp') return timestampText(BigInt(value))
    if (typeof value !== 'bigint') return value
    return Number.isSafeInteger(Number(value)) ? Number(value) : undefined
  }
}
