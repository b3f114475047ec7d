import type { Metric } from '../metrics/metrics.ts'

/**
 * Columns of a `RowTable`: index of the period in the window, two keys (ids of a label, a resource, an event
 * type or of one of a user's labels, else 0), amounts, and a distinct count.
 */
export const columns = [
  'period',
  'key',
  'innerKey',
  'sum',
  'weighted',
  'min',
  'max',
  'samples',
  'count',
  'extra',
] as const
export type RowTableColumn = (typeof columns)[number]

const summed = ['sum', 'weighted', 'samples', 'count', 'extra'] as const
const growth = 2
/** Greater than the maximum number of distinct keys of a table. */
const keyRange = 2 ** 26

/** Numeric rows, one per period and pair of keys; stored by column. */
export class RowTable {
  readonly #columns = Object.fromEntries(columns.map((name) => [name, new Float64Array()])) as Record<
    RowTableColumn,
    Float64Array<ArrayBuffer>
  >
  #length = 0
  /** Rows by period, for each pair of keys. */
  readonly #rows = new Map<number, Map<number, number>>()
  readonly #places = new Map<number, number>()
  /** Last lookup: rows of one pair of keys are often adjacent. */
  #last = { key: Number.NaN, innerKey: Number.NaN, rows: new Map<number, number>() }
  #indexed = 0

  get length(): number {
    return this.#length
  }

  get(row: number, name: RowTableColumn): number {
    return this.#columns[name][row] ?? 0
  }

  set(row: number, name: RowTableColumn, value: number): void {
    this.#columns[name][row] = value
  }

  /** The values of a column, by row. */
  column(name: RowTableColumn): Float64Array {
    return this.#columns[name].subarray(0, this.#length)
  }

  /**
   * Adds rows that have some of the columns. For minute rows of single labels the other columns are derived
   * from the sum, their only value. `isUnique` is true if no two rows, of this call or another, have the same
   * period and keys.
   */
  addAll(numbers: Float64Array, names: readonly RowTableColumn[], isUnique: boolean): void {
    const count = numbers.length / names.length
    this.#reserve(this.#length + count)
    for (const name of columns) {
      const part = this.#columns[name].subarray(this.#length, this.#length + count)
      writeColumn(part, { numbers, names, name })
    }
    if (isUnique) this.#length += count
    else this.#merge(count)
  }

  find(period: number, key: number, innerKey: number): number | undefined {
    this.#index()
    return this.#rows.get(this.#pairOf(key, innerKey))?.get(period)
  }

  /** Merges the rows appended at the end into the table. */
  #merge(count: number): void {
    this.#index()
    const { period, key, innerKey, min, max } = this.#columns
    const all = columns.map((name) => this.#columns[name])
    const sums = summed.map((name) => this.#columns[name])
    const end = this.#length + count
    for (let from = this.#length; from < end; from += 1) {
      const rows = this.#rowsOf(key[from] ?? 0, innerKey[from] ?? 0)
      const row = rows.get(period[from] ?? 0)
      if (row === undefined) {
        const to = this.#length
        rows.set(period[from] ?? 0, to)
        if (to !== from) for (const column of all) column[to] = column[from] ?? 0
        this.#length += 1
      } else {
        for (const column of sums) column[row] = (column[row] ?? 0) + (column[from] ?? 0)
        min[row] = Math.min(min[row] ?? 0, min[from] ?? 0)
        max[row] = Math.max(max[row] ?? 0, max[from] ?? 0)
      }
    }
    this.#indexed = this.#length
  }

  /** Indexes rows that were added as unique. */
  #index(): void {
    const { period, key, innerKey } = this.#columns
    for (let row = this.#indexed; row < this.#length; row += 1)
      this.#rowsOf(key[row] ?? 0, innerKey[row] ?? 0).set(period[row] ?? 0, row)
    this.#indexed = this.#length
  }

  #rowsOf(key: number, innerKey: number): Map<number, number> {
    const last = this.#last
    if (last.key === key && last.innerKey === innerKey) return last.rows
    const pair = this.#pairOf(key, innerKey)
    let rows = this.#rows.get(pair)
    if (rows === undefined) {
      rows = new Map()
      this.#rows.set(pair, rows)
    }
    this.#last = { key, innerKey, rows }
    return rows
  }

  #pairOf(key: number, innerKey: number): number {
    return this.#placeOf(innerKey) * keyRange + this.#placeOf(key)
  }

  #placeOf(key: number): number {
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.#places.size)
    return this.#places.size - 1
  }

  #reserve(rows: number): void {
    const length = this.#columns.period.length
    if (rows <= length) return
    for (const name of columns) {
      const larger = new Float64Array(Math.max(rows, length * growth))
      larger.set(this.#columns[name].subarray(0, this.#length))
      this.#columns[name] = larger
    }
  }
}

interface AddedRows {
  numbers: Float64Array
  names: readonly RowTableColumn[]
  name: RowTableColumn
}

/** Writes a column of rows; derives a missing column from the others. */
function writeColumn(column: Float64Array, { numbers, names, name }: AddedRows): void {
  const at = names.indexOf(name)
  const width = names.length
  if (at >= 0) {
    for (let row = 0, from = at; row < column.length; row += 1, from += width)
      column[row] = numbers[from] ?? 0
    return
  }
  const isKey = name === 'key' || name === 'innerKey'
  if (names.includes('min') || isKey || name === 'extra') column.fill(0)
  else if (name === 'count') column.fill(1)
  else {
    const [sum, samples] = [names.indexOf('sum'), names.indexOf('samples')]
    const isWeighted = name === 'weighted'
    for (let row = 0, from = 0; row < column.length; row += 1, from += width)
      column[row] = (numbers[from + sum] ?? 0) * (isWeighted ? (numbers[from + samples] ?? 0) : 1)
  }
}

/** Returns the value of a row by the type of its metric. */
export function amountOf({ type }: Metric, rows: RowTable, row: number): number {
  if (type !== 'rate') return rows.get(row, 'sum')
  const samples = rows.get(row, 'samples')
  return samples === 0 ? 0 : rows.get(row, 'weighted') / samples
}
