/**
 * Columns of a `RowTable`: the period's place in the window, two keys (ids of a label, a resource, an event type or of
 * one of a user's labels, else 0), amounts, and a number of different things.
 */
export const columns = [
  ...(['period', 'key', 'innerKey', 'sum', 'weighted', 'min', 'max', 'samples', 'count', 'extra'] as const),
] as const
export type Column = (typeof columns)[number]

const width = columns.length
const at = Object.fromEntries(columns.map((name, index) => [name, index])) as Record<Column, number>
const firstRows = 64
/** So many rows a table has at most; their keys fit the numbers that rows are found by. */
export const maxRows = 500_000
const keyRange = 2 ** 19
const periodRange = 2 ** 14

/** Rows of numbers, one for each period and pair of keys. */
export class RowTable {
  #numbers = new Float64Array(firstRows * width)
  #length = 0
  readonly #rows = new Map<number, number>()
  readonly #places = new Map<number, number>()

  get length(): number {
    return this.#length
  }

  get(row: number, name: Column): number {
    return this.#numbers[row * width + at[name]] ?? 0
  }

  set(row: number, name: Column, value: number): void {
    this.#numbers[row * width + at[name]] = value
  }

  /**
   * Adds rows that have some of the columns. Of minute rows of single labels the others follow: their sum is their only
   * value. `isUnique`: no two rows, of this call or another, have the same period and keys.
   */
  addAll(numbers: Float64Array, names: readonly Column[], isUnique: boolean): void {
    const place = columns.map((name) => names.indexOf(name))
    const has = (name: Column): boolean => names.includes(name)
    const hasAmounts = has('min')
    const row = new Float64Array(width)
    for (let start = 0; start < numbers.length; start += names.length) {
      for (let index = 0; index < width; index += 1) {
        const from = place[index] ?? -1
        row[index] = from < 0 ? 0 : (numbers[start + from] ?? 0)
      }
      if (!hasAmounts) fillAmounts(row)
      if (isUnique) this.#append(row)
      else this.#merge(row)
    }
  }

  find(period: number, key: number, innerKey: number): number | undefined {
    if (this.#rows.size < this.#length) this.#index()
    return this.#rows.get(this.#id(period, key, innerKey))
  }

  /** Makes rows that were added as unique to be found. */
  #index(): void {
    for (let row = 0; row < this.#length; row += 1) this.#rows.set(this.#idOf(row), row)
  }

  #idOf(row: number): number {
    return this.#id(this.get(row, 'period'), this.get(row, 'key'), this.get(row, 'innerKey'))
  }

  #append(row: Float64Array): void {
    const start = this.#length * width
    if (start + width > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers.set(row, start)
    this.#length += 1
  }

  #merge(row: Float64Array): void {
    const id = this.#id(row[at.period] ?? 0, row[at.key] ?? 0, row[at.innerKey] ?? 0)
    const known = this.#rows.get(id)
    if (known === undefined) {
      this.#rows.set(id, this.#length)
      this.#append(row)
      return
    }
    const start = known * width
    const numbers = this.#numbers
    for (const index of summed) numbers[start + index] = (numbers[start + index] ?? 0) + (row[index] ?? 0)
    numbers[start + at.min] = Math.min(numbers[start + at.min] ?? 0, row[at.min] ?? 0)
    numbers[start + at.max] = Math.max(numbers[start + at.max] ?? 0, row[at.max] ?? 0)
  }

  #id(period: number, key: number, innerKey: number): number {
    return (this.#placeOf(key) * keyRange + this.#placeOf(innerKey)) * periodRange + period
  }

  #placeOf(key: number): number {
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.#places.size)
    return this.#places.size - 1
  }
}

const summed = [at.sum, at.weighted, at.samples, at.count, at.extra]

function fillAmounts(row: Float64Array): void {
  const value = row[at.sum] ?? 0
  row[at.weighted] = value * (row[at.samples] ?? 0)
  row[at.min] = value
  row[at.max] = value
  row[at.count] = 1
}
