export type SqlValue = string | number | null | Uint8Array

/** Receives rows of numbers; the array is reused after the call. */
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
   * Passes the named numeric columns of a query to `take`, row by row in parts of whole rows, null as NaN.
   * Several times faster than `arrays` for large results. The query must contain its values as literals; the
   * order of rows may be lost. Throws the error of `take`.
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
  /** Runs a writing transaction; on PostgreSQL only one process at a time. */
  transaction<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T>
  /** Runs several reads in one snapshot. */
  snapshot<T>(work: (database: SeriesDatabase) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Location of the series. Plain data. */
export type SeriesLocation = { path: string } | { url: string }

export interface SeriesDatabaseOptions {
  /** True for a read-only connection, used in addition to the writer. */
  isReader?: boolean
}
