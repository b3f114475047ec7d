/** Kinds of tables that can be published. A partitioned table is a table. */
export const tableKinds = ['table', 'view', 'matview', 'foreign'] as const
export type TableKind = (typeof tableKinds)[number]

/** Something that limits what a table can be used for. */
export interface TableProblem {
  code: 'empty-statistics' | 'no-index' | 'no-key' | 'no-rights' | 'no-rights-column' | 'no-srid'
  message: string
  /** Statement that helps. Terrane never runs it. */
  sql?: string
}

/** A table of a store as its catalogue describes it. No row is read. */
export interface TableSummary {
  /** Name by which the store reads it: `table`, or `table(column)` for a further geometry column. */
  name: string
  table: string
  kind: TableKind
  /** Changes whenever a column is added, dropped, renamed or gets another type. */
  columnsMark: string
  geometry?: {
    column: string
    /** Type with its dimensions, such as `MultiPolygonZ`. */
    type: string
    /** Authority code of the CRS, such as `EPSG:25832`. */
    srs?: string
  }
  /** The column that identifies a feature. */
  key?: string
  /** Number of rows according to the statistics of the database. */
  estimatedRows?: number
  problems: TableProblem[]
}

/** Options for finding row count and bounds of a table. */
export interface FindTableOptions {
  /** False to leave them out where finding them reads rows. */
  readsRows?: boolean
  /** Time after which they are left out, in milliseconds. */
  readMs?: number
}

/** Names and summaries of the tables of a store. */
export interface TableListing {
  listTables(): Promise<string[]>
  /** Absent for files served directly. */
  summarizeTables?(): Promise<TableSummary[]>
  /**
   * Returns a name similar to `requested` that the store accepts for a table, ending with `suffix` even if
   * truncated. The name may be in use.
   */
  tableName(requested: string, suffix?: string): string
}
