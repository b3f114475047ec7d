import type { LabelRef, SeriesRef } from './dictionary.ts'
import type { SeriesDatabase, SqlValue } from './series-database.ts'
import type { StoredRow } from './stored-row.ts'
import { rowColumns } from './stored-row.ts'

const firstRows = 1024
const numbersPerRow = 9
const rowsPerInsert = 4096

/** Rows to be inserted, in a tenth of the memory of `StoredRow` objects. */
export class PackedRows {
  readonly #labels: LabelRef[] = []
  readonly #sketches = new Map<number, Uint8Array>()
  readonly #bySeries = new Map<SeriesRef, number[]>()
  #numbers = new Float64Array(firstRows * numbersPerRow)
  /** Last lookup: rows of one series are often adjacent. */
  #last: { series: SeriesRef | undefined; rows: number[] } = { series: undefined, rows: [] }

  get length(): number {
    return this.#labels.length
  }

  /** Copies the row; its series and label may get their ids later. */
  add(row: StoredRow): void {
    const index = this.#labels.push(row.label) - 1
    this.#rowsOf(row.series).push(index)
    if (row.sketch !== null) this.#sketches.set(index, row.sketch.encode())
    const at = index * numbersPerRow
    if (at === this.#numbers.length) this.#grow()
    const numbers = this.#numbers
    numbers[at] = row.period
    numbers[at + 1] = row.sum
    numbers[at + 2] = row.weighted
    numbers[at + 3] = row.min
    numbers[at + 4] = row.max
    numbers[at + 5] = row.samples
    numbers[at + 6] = row.count
    numbers[at + 7] = row.labels
    numbers[at + 8] = row.users
  }

  /** Writes the rows in the order of the table's key; their series and labels have ids. */
  async insert(database: SeriesDatabase, table: string): Promise<void> {
    let values: SqlValue[][] = []
    for (const [series, rows] of [...this.#bySeries].sort(([a], [b]) => a.id - b.id)) {
      rows.sort((a, b) => this.#period(a) - this.#period(b) || this.#labelId(a) - this.#labelId(b))
      for (const row of rows) {
        values.push(this.#values(series, row))
        if (values.length < rowsPerInsert) continue
        await database.insert(table, rowColumns, values)
        values = []
      }
    }
    await database.insert(table, rowColumns, values)
  }

  #values(series: SeriesRef, row: number): SqlValue[] {
    const at = row * numbersPerRow
    const numbers = this.#numbers
    return [
      series.id,
      numbers[at] ?? 0,
      this.#labelId(row),
      numbers[at + 1] ?? 0,
      numbers[at + 2] ?? 0,
      numbers[at + 3] ?? 0,
      numbers[at + 4] ?? 0,
      numbers[at + 5] ?? 0,
      numbers[at + 6] ?? 0,
      numbers[at + 7] ?? 0,
      numbers[at + 8] ?? 0,
      this.#sketches.get(row) ?? null,
    ]
  }

  #rowsOf(series: SeriesRef): number[] {
    if (series === this.#last.series) return this.#last.rows
    let rows = this.#bySeries.get(series)
    if (rows === undefined) {
      rows = []
      this.#bySeries.set(series, rows)
    }
    this.#last = { series, rows }
    return rows
  }

  #period(row: number): number {
    return this.#numbers[row * numbersPerRow] ?? 0
  }

  #labelId(row: number): number {
    return this.#labels[row]?.id ?? 0
  }

  #grow(): void {
    const larger = new Float64Array(this.#numbers.length * 2)
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
