/**
 * Columns of a `RowTable`: the period's place in the window, two keys (ids of a label, a resource, an event type or of
 * one of a user's labels, else 0), amounts, and a number of different things.
 */
export const columns = [
  ...(['period', 'key', 'innerKey', 'sum', 'weighted', 'min', 'max', 'samples', 'count', 'extra'] as const),
] as const
export type Column = (typeof columns)[number]

const summed = ['sum', 'weighted', 'samples', 'count', 'extra'] as const
/** So many rows a table has at most. */
export const maxRows = 500_000
const keyRange = 2 ** 20

/** Rows of numbers, one for each period and pair of keys; column by column. */
export class RowTable {
  readonly #columns = Object.fromEntries(columns.map((name) => [name, new Float64Array()])) as Record<
    Column,
    Float64Array<ArrayBuffer>
  >
  #length = 0
  /** By pair of keys: the rows of their periods. */
  readonly #rows = new Map<number, Map<number, number>>()
  readonly #places = new Map<number, number>()
  #indexed = 0

  get length(): number {
    return this.#length
  }

  get(row: number, name: Column): number {
    return this.#columns[name][row] ?? 0
  }

  set(row: number, name: Column, value: number): void {
    this.#columns[name][row] = value
  }

  /** The values of a column, by row. */
  column(name: Column): Float64Array {
    return this.#columns[name].subarray(0, this.#length)
  }

  /**
   * Adds rows that have some of the columns. Of minute rows of single labels the others follow: their sum is their only
   * value. `isUnique`: no two rows, of this call or another, have the same period and keys.
   */
  addAll(numbers: Float64Array, names: readonly Column[], isUnique: boolean): void {
    const count = numbers.length / names.length
    const added = Object.fromEntries(
      columns.map((name) => [name, takeColumn(numbers, names, name, count)]),
    ) as Record<Column, Float64Array>
    if (isUnique) this.#append(added, count)
    else this.#merge(added, count)
  }

  find(period: number, key: number, innerKey: number): number | undefined {
    this.#index()
    return this.#rows.get(this.#pairOf(key, innerKey))?.get(period)
  }

  #append(added: Record<Column, Float64Array>, count: number): void {
    this.#reserve(this.#length + count)
    for (const name of columns) this.#columns[name].set(added[name], this.#length)
    this.#length += count
  }

  #merge(added: Record<Column, Float64Array>, count: number): void {
    this.#reserve(this.#length + count)
    this.#index()
    const { period, key, innerKey } = added
    const own = this.#columns
    for (let from = 0; from < count; from += 1) {
      const rows = this.#rowsOf(key[from] ?? 0, innerKey[from] ?? 0)
      const row = rows.get(period[from] ?? 0)
      if (row === undefined) {
        rows.set(period[from] ?? 0, this.#length)
        for (const name of columns) own[name][this.#length] = added[name][from] ?? 0
        this.#length += 1
      } else {
        for (const name of summed) own[name][row] = (own[name][row] ?? 0) + (added[name][from] ?? 0)
        own.min[row] = Math.min(own.min[row] ?? 0, added.min[from] ?? 0)
        own.max[row] = Math.max(own.max[row] ?? 0, added.max[from] ?? 0)
      }
    }
    this.#indexed = this.#length
  }

  /** Makes rows that were added as unique to be found. */
  #index(): void {
    const { period, key, innerKey } = this.#columns
    for (let row = this.#indexed; row < this.#length; row += 1)
      this.#rowsOf(key[row] ?? 0, innerKey[row] ?? 0).set(period[row] ?? 0, row)
    this.#indexed = this.#length
  }

  #rowsOf(key: number, innerKey: number): Map<number, number> {
    const pair = this.#pairOf(key, innerKey)
    let rows = this.#rows.get(pair)
    if (rows === undefined) {
      rows = new Map()
      this.#rows.set(pair, rows)
    }
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
      const larger = new Float64Array(Math.max(rows, Math.min(length * 2, maxRows)))
      larger.set(this.#columns[name].subarray(0, this.#length))
      this.#columns[name] = larger
    }
  }
}

/** A column of rows; one that they lack follows from the others. */
function takeColumn(
  numbers: Float64Array,
  names: readonly Column[],
  name: Column,
  count: number,
): Float64Array {
  const at = names.indexOf(name)
  if (at >= 0) return strided(numbers, names.length, at, count)
  if (names.includes('min') || name === 'innerKey' || name === 'key') return new Float64Array(count)
  const values = strided(numbers, names.length, names.indexOf('sum'), count)
  if (name === 'min' || name === 'max') return values
  if (name === 'count') return new Float64Array(count).fill(1)
  if (name === 'extra') return new Float64Array(count)
  const samples = strided(numbers, names.length, names.indexOf('samples'), count)
  return samples.map((sample, row) => sample * (values[row] ?? 0))
}

function strided(numbers: Float64Array, width: number, at: number, count: number): Float64Array {
  const values = new Float64Array(count)
  for (let row = 0, from = at; row < count; row += 1, from += width) values[row] = numbers[from] ?? 0
  return values
}
