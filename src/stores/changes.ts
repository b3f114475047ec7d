import type { Envelope } from '../geo/envelope.ts'

/** By which a row of the source and a row of the table are the same one, and what becomes of those that do not come. */
export interface UpsertRules {
  /** Columns of the table, one or more. A null or repeated key in the source rejects its row. */
  keys: string[]
  /** Whether rows of the table whose key does not come are deleted. */
  deletesMissing: boolean
  /** Asked when all rows are staged: what came and could not be loaded is not missing. */
  spared?(): SparedRows
}

/** Rows of the source that were rejected: those of the table that have their keys stay as they are. */
export interface SparedRows {
  /** The values of each key as text, in the order of the rules. */
  keys: readonly (readonly string[])[]
  /** Whether there are some whose key nobody can tell: then no row is missing for certain. */
  hasUnknown: boolean
}

/** Rows by what becomes of them. `changed` is null where rows are compared whole, without keys. */
export interface ChangeCounts {
  added: number
  changed: number | null
  removed: number
  same: number
}

/** Values by the columns of the table, as the store holds them and `columnValue` gives them; the geometry as WKB. */
export interface ChangedRow {
  values: Record<string, unknown>
  geometry?: Uint8Array
}

/** What becomes of one row: `before` is absent of an added one, `after` of a removed one. */
export interface RowChange {
  change: 'added' | 'changed' | 'removed'
  /** The feature id that the row has in the table; absent as long as it has none. */
  featureId?: string
  before?: ChangedRow
  after?: ChangedRow
}

/** What a staged load would do to its table. */
export interface TableComparison {
  counts: ChangeCounts
  /** The columns by which rows were matched; empty where whole rows were compared as a multiset. */
  matchedBy: string[]
  /** Of everything that is added, changed or removed. */
  bounds?: Envelope
  /** What a commit would do besides and nobody can try: `triggers`, `foreign keys`. */
  notTried: string[]
  /** The changes, removed rows first, some hundred at a time. Ends with the comparison's signal. */
  changes(): AsyncIterable<RowChange[]>
}
