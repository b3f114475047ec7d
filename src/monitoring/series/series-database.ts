export type SqlValue = string | number | null | Uint8Array

/** Is given rows of numbers; the array is used again afterwards. */
export type TakeNumbers = (numbers: Float64Array<ArrayBuffer>) => void

/**
 * The database of the series: SQLite in a file of its own, or PostgreSQL. One SQL for both, `?` for values. Integers
 * come as numbers. Inside `transaction` only what it gives may be used.
 */
export interface SeriesDatabase {
  readonly kind: 'sqlite' | 'postgres'
  all<T>(sql: string, values?: readonly SqlValue[]): Promise<T[]>
  /** Rows as arrays, for large answers. */
  arrays(sql: string, values?: readonly SqlValue[]): Promise<SqlValue[][]>
  /**
   * Gives the named columns of a query, numbers all of them, row after row, null as NaN, to `take` in parts of whole
   * rows: several times faster for large answers. The query holds its values itself; the order of its rows may be lost.
   * Throws what `take` throws.
   */
  numbers(sql: string, columns: readonly string[], take: TakeNumbers): Promise<void>
  /** Gives the number of rows changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
  /** Inserts many rows; `conflict` is SQL such as `on conflict do nothing`. */
  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict?: string,
  ): Promise<void>
  /** One writing transaction; on PostgreSQL only one of all processes is in here at a time. */
  transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T>
  /** Several reads that see one state. */
  snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Can be sent to a worker thread. */
export type SeriesPlace = { path: string } | { url: string }

export interface SeriesDatabaseOptions {
  /** True: reads only, beside the one writer, one snapshot at a time. */
  isReader?: boolean
}
