import type { Envelope } from '../geo/envelope.ts'

/** Rules for matching rows of the source with rows of the table, and for rows missing in the source. */
export interface UpsertRules {
  /** Key columns of the table, one or more. A null or duplicate key in the source rejects its row. */
  keys: string[]
  /** True to delete table rows whose key is not in the source. */
  deletesMissing: boolean
  /** Called when all rows are staged: rows that could not be loaded do not count as missing. */
  spared?(): SparedRows
}

/** Rejected rows of the source; table rows with their keys are not changed. */
export interface SparedRows {
  /** Values of each key as text, in the order of the rules. */
  keys: readonly (readonly string[])[]
  /** True if the key of a rejected row is unknown. Then no row counts as missing. */
  hasUnknown: boolean
}

/** Numbers of rows by kind of change. `changed` is null if whole rows are compared, without keys. */
export interface ChangeCounts {
  added: number
  changed: number | null
  removed: number
  same: number
}

/** Values by table column, as stored and as returned by `columnValue`; the geometry as WKB. */
export interface ChangedRow {
  values: Record<string, unknown>
  geometry?: Uint8Array
}

/** Change of one row: `before` is absent for an added row, `after` for a removed one. */
export interface RowChange {
  change: 'added' | 'changed' | 'removed'
  /** Feature id of the row in the table; absent if not assigned yet. */
  featureId?: string
  before?: ChangedRow
  after?: ChangedRow
}

/** Changes that committing a staged load would make in its table. */
export interface TableComparison {
  counts: ChangeCounts
  /** Key columns that matched rows; empty if whole rows were compared as a multiset. */
  matchedBy: string[]
  /** Envelope of all added, changed and removed rows. */
  bounds?: Envelope
  /** Effects of a commit that cannot be predicted, such as `triggers` and `foreign keys`. */
  notTried: string[]
  /**
   * Yields the changes, removed rows first, some hundred per page. Ends with the signal of the comparison.
   */
  changes(): AsyncIterable<RowChange[]>
}
