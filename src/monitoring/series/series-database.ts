export type SqlValue = string | number | null | Uint8Array

/** Is given rows of numbers; the array is used again afterwards. */
export type TakeNumbers = (numbers: Float64Array<ArrayBuffer>) => void

/**
 * The database of the series: SQLite in a file of its own, or PostgreSQL. One SQL for both, `?` for values.
 * Integers are returned as numbers. Inside `transaction` use only the database that it passes.
 */
export interface SeriesDatabase {
  readonly kind: 'sqlite' | 'postgres'
  all<T>(sql: string, values?: readonly SqlValue[]): Promise<T[]>
  /** Returns rows as arrays, for large results. */
  arrays(sql: string, values?: readonly SqlValue[]): Promise<SqlValue[][]>
  /**
   * Passes the named columns of a query, all of them numbers, row after row, null as NaN, to `take` in parts
   * of whole rows: several times faster for large results. The query contains its values; the order of its
   * rows may be lost. Throws the error of `take`.
   */
  numbers(sql: string, columns: readonly string[], take: TakeNumbers): Promise<void>
  /** Returns the number of changed rows. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>
  /** Inserts many rows; `conflict` is SQL such as `on conflict do nothing`. */
  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict?: string,
  ): Promise<void>
  /** One writing transaction; on PostgreSQL only one of all processes runs it at a time. */
  transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T>
  /** Several reads in one snapshot. */
  snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Can be sent to a worker thread. */
export type SeriesLocation = { path: string } | { url: string }

export interface SeriesDatabaseOptions {
  /** True: read-only, beside the one writer, one snapshot at a time. */
  isReader?: boolean
}
