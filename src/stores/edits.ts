import type { FeatureBatch } from '../geo/batch.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { FeaturePage, NotRetained, TableDescription, TableSnapshot } from './table-contents.ts'

/** A table that a request edits. Plain data. */
export interface TableEdit {
  /** Unique for each attempt. */
  editId: string
  table: string
  /**
   * Id under which the previous state of the table is retained; `isBegun` if earlier edits have already
   * started to do so.
   */
  keep?: { id: string; isBegun: boolean }
  /** Envelope of the table before, if known: for stores that do not know it themselves. */
  envelope?: Envelope
}

/** A feature that a request edits. */
interface FeatureEdit {
  /** Index of its table. */
  table: number
  /** Id of the feature; absent to add one. */
  featureId?: string
}

/** A request to edit features of tables in one transaction, in this order. Plain data. */
export interface EditRequest {
  tables: readonly TableEdit[]
  edits: readonly FeatureEdit[]
}

/**
 * Change of the feature. Only the first row of `row` counts. Its schema contains the columns to write, by
 * their table names; other columns get their defaults, or retain their values.
 */
export type FeatureChange =
  | { kind: 'add' | 'change'; row: FeatureBatch }
  | { kind: 'remove' }
  /** No change is needed. */
  | { kind: 'none' }

/** A table being edited, and the present feature, which no other client can change meanwhile. */
export interface EditedTable {
  table: TableDescription
  /** Columns that the store computes, whose values cannot be set. */
  computed: ReadonlySet<string>
  /** One row; undefined if there is no such feature. */
  present: FeaturePage | undefined
}

/** Returns the change of an edit, which is given by its index. Throwing ends all edits with that error. */
export type DecideChange = (edited: EditedTable, edit: number) => Promise<FeatureChange>

/** By how much an edit changes the numbers of rows that differ from the retained state. */
export interface EditCounts {
  added: number
  changed: number
  removed: number
}

/** Result of the edit of a feature. */
export interface FeatureEditResult {
  /** Id of the edited or added feature. */
  featureId: string
  /** The feature after the edit, one row; absent for a removed one. */
  feature?: FeaturePage
  /** False if no change was needed. */
  isChanged: boolean
}

/** Result of the edits of a table. */
export interface TableEditResult {
  /** All 0 if no change was needed. */
  counts: EditCounts
  /** Change in the number of rows of the table. */
  rowsAdded: number
  /** Envelope of the table after the edits. */
  envelope?: Envelope
  kept?: TableSnapshot | NotRetained
  isChanged: boolean
  /** Like that of a load: for `outcome`. */
  token: string
}

/** Edits that only lack their commit. The caller must immediately call either `commit` or `discard`. */
export interface PreparedEdit {
  /** In the order of the request. */
  readonly features: readonly FeatureEditResult[]
  readonly tables: readonly TableEditResult[]
  commit(): Promise<void>
  /**
   * Rolls back the changes. The visible statistics of the tables may differ, which `isUnchanged` recognizes
   * by the mark.
   */
  discard(): Promise<void>
}

/** Callbacks before edits are committed. */
export interface EditHooks {
  /** Ends the edits until `commit` is called. */
  signal: AbortSignal
  /**
   * Awaited before the first row of a table, given by its index, is written, like that of a load; the token
   * is that of the edits of the table.
   */
  beforeTouch(table: number, token: string, mark: string): Promise<void>
}

/** Edits features of tables. */
export interface TableEdits {
  /** Returns why the rows of a table cannot be changed, as a text for people; undefined if they can. */
  whyNot(table: string): Promise<string | undefined>
  /** Throws `Failure` if a table, one of its constraints or `decide` rejects an edit. */
  prepare(request: EditRequest, decide: DecideChange, hooks: EditHooks): Promise<PreparedEdit>
}
