import type { NetworkReach } from '../core/network/reach.ts'
import type { Filter } from '../filters/filter.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Area } from '../geo/polygon-test.ts'
import type { Schema } from '../geo/schema.ts'
import type { ChangeCounts, RowChange, TableComparison, UpsertRules } from './changes.ts'
import type { TableEdits } from './edits.ts'
import type { ColumnIndexes, OrderedRows, ReadValues } from './order.ts'
import type { FeaturePage, NotRetained, TableDescription, TableSnapshot } from './table-contents.ts'
import type { FindTableOptions, TableListing } from './table-summary.ts'

export type { FeaturePage, NotRetained, TableDescription, TableSnapshot } from './table-contents.ts'

/** Name of a store type. The registry lists the types with their capabilities. */
export type StoreType = string

/**
 * Connection parameters by their API names (`host`, `port`, `database`, `schema`, `user`, `passwd`, `path`).
 */
export type StoreParameters = Record<string, string>

/**
 * Parameters for opening a store, including secrets. Plain data: it is passed between threads, and never
 * logged or shown.
 */
export interface StoreConnection {
  type: StoreType
  parameters: StoreParameters
  /** Folder of the index, for a file that is served directly. */
  indexFolder?: string
  /** Permitted network targets of the connection; absent if an administrator has approved it. */
  reach?: NetworkReach
}

/** Effect of a load on the table: creates it, replaces its rows, or adds rows. */
export const updateModes = ['CREATE', 'REPLACE', 'APPEND'] as const
export type UpdateMode = (typeof updateModes)[number]

/** `UPSERT` inserts rows with new keys and updates rows with existing keys whose values differ. */
export const loadModes = [...updateModes, 'UPSERT'] as const
export type LoadMode = (typeof loadModes)[number]

/** Columns whose combined values are unique in a table. */
export interface UniqueKey {
  columns: string[]
  isPrimary: boolean
}

/**
 * Path to a state: the first one is whole or applies to the present table, each other one to its predecessor.
 */
export type StatePath = readonly TableSnapshot[]

/** Options of one load into a table. Plain data: it is passed between threads. */
export interface LoadRequest {
  /** Unique for each attempt; names the staging objects, so that `sweep` finds them after a crash. */
  loadId: string
  mode: LoadMode
  /** The target table; `CREATE` fails with code `table-exists` if it exists. */
  table: string
  /** Schema of the batches. For `CREATE` (and `REPLACE` of a missing table) the table is created from it. */
  schema: Schema
  /** Columns to index after the load (CreateIndexTransform). */
  indexes: string[]
  /** Only for an `UPSERT`. */
  upsert?: UpsertRules
  /**
   * True if only staged rows are written until `prepare`, whatever the mode: no row, lock, dead row or
   * sequence number of the target, and no byte of its file.
   */
  isDryRun?: boolean
  /** Id under which the previous contents of the table are retained, if possible. */
  keepAs?: string
}

/** Result of a load. */
export interface LoadResult {
  rowsLoaded: number
  envelope?: Envelope
  /** Column names as stored, by attribute name, where they differ. */
  renamed: Record<string, string>
  /** Result of `findTable` after the commit, if the store knows it without a query. */
  table?: TableDescription
  /** Row changes; known after an `UPSERT` is prepared. */
  changes?: ChangeCounts
  /** Contents retained because of `keepAs`; known after the load is prepared. */
  kept?: TableSnapshot | NotRetained
}

/** Callbacks while a load is staged and prepared. */
export interface LoadHooks {
  /** Stops the load at any point until `commit` is called. */
  signal: AbortSignal
  onMessage(message: { level: 'info' | 'warning' | 'error'; message: string; code: string }): void
  /**
   * Called for rows of a batch that the store rejects (a geometry of the wrong type, a value out of range).
   */
  onReject(batch: FeatureBatch, row: number, reason: { field?: string; reason: string }): void
  /**
   * Awaited before rows are written to the table itself, invisible to others until the commit. With `mark`
   * the store determines later whether the table has changed: an interrupted load changes its visible
   * statistics.
   */
  beforeTouch?(mark: string): Promise<void>
}

/**
 * A load whose rows and index are written but not visible. The caller must call either `prepare` or
 * `discard`. A method that throws has discarded the load.
 */
export interface StagedLoad {
  /** Result as far as known: constraints of the table may still reject rows when they are placed. */
  readonly result: LoadResult
  /** Places the rows inside a transaction, which may block other writers from now on. */
  prepare(): Promise<PreparedLoad>
  /** Leaves the target unchanged and nothing behind. */
  discard(): Promise<void>
  /**
   * Returns what a commit would do, by `keys` or by whole rows. Only for a dry run. Rows passed to `onReject`
   * are no longer staged and are not reported again.
   */
  compare?(keys: string[] | undefined, signal: AbortSignal): Promise<TableComparison>
  /**
   * Closes everything but the staged rows, which are retained until `takeUp` or `sweep`. Returns the text for
   * `takeUp`.
   */
  retainRows?(): Promise<string>
}

/**
 * A load that only lacks its commit. The caller must soon call either `commit` or `discard`. A method that
 * throws has discarded it.
 */
export interface PreparedLoad {
  readonly result: LoadResult
  /**
   * Identifies the commit: `outcome` uses it after a crash. The caller must store it durably before `commit`.
   */
  readonly token: string
  /** Makes the rows visible atomically. */
  commit(): Promise<void>
  /** Leaves the target unchanged and nothing behind. */
  discard(): Promise<void>
  /** Yields exactly what the commit of an `UPSERT` will do. Read before the commit. */
  changes?(): AsyncIterable<RowChange[]>
}

/** Options for restoring a table to a state. */
export interface RestoreRequest {
  /** Id like that of a load, for `outcome` and `sweep`. */
  loadId: string
  table: string
  path: StatePath
  /** Id under which the present state is retained. */
  keepAs?: string
  /**
   * Ids of states that are retained as differences to the requested state. They can be reached from the
   * restored table.
   */
  followers?: string[]
}

/**
 * Retained states of tables: hidden from lists of tables, and not readable by users who may not read the
 * table. A state of form `whole` exists until it is restored, since it then becomes the table; all other
 * states remain.
 */
export interface TableStates {
  /**
   * Like a load whose rows are staged: readers see the table before or after the restore. The state may have
   * been removed in the meantime.
   */
  stageRestore(request: RestoreRequest, hooks: LoadHooks): Promise<StagedLoad>
  /** Removes the table from the catalogue and retains it as a whole state. */
  putAside(table: string, keepAs: string): Promise<TableSnapshot | NotRetained>
  /** Yields the rows of a state with their former ids, in key order. */
  read(table: string, path: StatePath, signal: AbortSignal): AsyncIterable<FeaturePage>
  /** Removes a retained state; does nothing if it does not exist. */
  drop(kept: Pick<TableSnapshot, 'id'>): Promise<void>
  /**
   * True if nothing was committed to the table since `mark` was passed to `beforeTouch`; present if that is
   * called.
   */
  isUnchanged?(table: string, mark: string): Promise<boolean>
  /** Returns the ids of all retained states of this store, to find those without a record. */
  list(): Promise<string[]>
}

/** A feature query; envelopes are in the CRS of the table. */
export interface FeatureQuery extends OrderedRows, ReadValues {
  table: string
  limit: number
  offset: number
  /**
   * Selects features that touch one of these, exactly, and features without geometry; two boxes if a box
   * crosses the antimeridian.
   */
  bboxes?: Area[]
  /** Interval of an attribute of type date or timestamp; an open end is undefined. ISO 8601 text. */
  time?: { attribute: string; from?: string; to?: string }
  /** Further condition; its geometries are in the CRS of the table, its names are column names. */
  filter?: Filter
  /** One feature by its id, or features by their ids, each once, in the order of the ids. */
  featureId?: string
  featureIds?: readonly string[]
  /**
   * Required attributes, without the geometry unless `withGeometry`; a store may return more. Absent: all.
   */
  attributes?: readonly string[]
  withGeometry?: boolean
  /** Text attribute with the feature ids, if that is not the key of the table: for copies made by Terrane. */
  idAttribute?: string
}

/** Selects the rows of a tile. Rows without geometry are omitted. */
export interface TileQuery {
  table: string
  /**
   * Boxes in the CRS of the table. Selects rows whose geometry touches one of these, and possibly others
   * whose envelope, rounded outwards, does; never a row twice. Absent: all.
   */
  boxes?: Envelope[]
  /**
   * Of these rows only those with ids that `readEnvelopes` returned for the same boxes, in the same order.
   */
  ids?: readonly string[]
  /** Attributes to read; absent: all. */
  attributes?: readonly string[]
}

/** Envelopes of rows, possibly rounded outwards: minX, minY, maxX, maxY for each id. */
export interface EnvelopePage {
  ids: string[]
  envelopes: Float64Array
}

/** The same for rows with integer ids, in memory that the next page reuses. */
export interface NumberedEnvelopes {
  ids: Float64Array
  envelopes: Float64Array
}

/** Further results of reading rows. */
export interface TileNote {
  /** `text` of the table's state, read after the rows; absent if not read. */
  seen?: string
}

/**
 * Reads rows for tiles, in an order that is constant while the table is unchanged: key order if it has keys.
 */
export interface TileReads {
  /** `note` is filled in after the last page is read. */
  readTile(query: TileQuery, signal: AbortSignal, note?: TileNote): AsyncIterable<FeaturePage>
  readEnvelopes(query: Pick<TileQuery, 'table' | 'boxes'>, signal: AbortSignal): AsyncIterable<EnvelopePage>
  /**
   * Like `readEnvelopes` of a whole table within `atOneState`, in any order; undefined if keys are not
   * integers.
   */
  readNumbered?(table: string, signal: AbortSignal): Promise<AsyncIterable<NumberedEnvelopes> | undefined>
}

/** Selects the rows of several tiles of one table. */
export interface TilesQuery extends Pick<TileQuery, 'table' | 'attributes'> {
  /** For each tile the `boxes` of its own query; at most `maxTilesAtOnce`. */
  boxesOf: readonly Envelope[][]
}

/** Maximum number of tiles read together. */
export const maxTilesAtOnce = 8

/** A page of rows, each of which occurs once, however many tiles show it. */
export interface TilesPage extends FeaturePage {
  /**
   * For each tile the indexes of its rows in the page, in order: those that `readTile` returns for its boxes.
   */
  rowsOf: readonly Uint32Array[]
}

/** Store-specific queries for rows of tiles; see `tileReadingOf`. */
export interface TileReading extends TileReads {
  /** Like `readTile`, for several tiles; present if the store has the capability `readsTilesTogether`. */
  readTiles?(query: TilesQuery, signal: AbortSignal, note?: TileNote): AsyncIterable<TilesPage>
  /** Everything that `work` reads with its argument is from one state of the table. */
  atOneState<Result>(
    table: string,
    work: (reads: TileReads) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>
}

/** ISO 8601 text: dates, or times in UTC. */
export interface TimeBounds {
  from: string
  to: string
}

/** State of a table at a moment. */
export interface TableState {
  /** Differs after any change of the table, whoever made it; may also differ without a change. */
  text: string
  /** Earlier texts since which only loads of this process have written to the file or database. */
  sameAs?: Pick<ReadonlySet<string>, 'has'>
  /** True if a change may exist that becomes visible only later. */
  mayLag?: boolean
}

/**
 * A database or file with vector tables. Every method may throw `Failure` of kind `unavailable` if the
 * database is unreachable. Loads are atomic: readers see the table before or after the load, never a mixture;
 * a failure before the commit leaves nothing behind.
 */
export interface VectorStore extends ColumnIndexes, TableListing {
  readonly type: StoreType
  /** Tests the connection. Throws `Failure` (`invalid`) with the reason: host, password, file. */
  check(signal: AbortSignal): Promise<void>
  /**
   * Returns a table; without row count and bounds where finding them reads rows, if `readsRows` is false or
   * takes longer than `readMs`.
   */
  findTable(table: string, options?: FindTableOptions): Promise<TableDescription | undefined>
  /** Stages rows for their target; see `commitLoad` for the following steps. */
  stage(request: LoadRequest, batches: AsyncIterable<FeatureBatch>, hooks: LoadHooks): Promise<StagedLoad>
  /**
   * Continues with a retained dry run. Throws `Failure` with code `staged-gone` if its rows or its target
   * have changed.
   */
  takeUp?(request: LoadRequest, retainedRows: string, hooks: LoadHooks): Promise<StagedLoad>
  /** Present if the store can retain states of its tables. */
  readonly states?: TableStates
  /** Present if features can be edited. */
  readonly edits?: TableEdits
  /**
   * Returns the size of tables in bytes, with their indexes; tables that do not exist count as 0. Absent for stores whose
   * tables are files.
   */
  sizeOf?(tables: readonly string[]): Promise<number>
  /** Determines after a crash whether the commit with this `token` happened. */
  outcome(token: string): Promise<'committed' | 'absent'>
  /** Removes staging objects left by `loadId`. */
  sweep(loadId: string): Promise<void>
  /** Returns the exact number of matching features. */
  count(query: Omit<FeatureQuery, 'limit' | 'offset'>, signal: AbortSignal): Promise<number>
  /**
   * Returns an estimate of the number of rows, or of those that may touch one of the boxes (in the CRS of the
   * table), from statistics and indexes only. 0 if the table does not exist. `Number.MAX_SAFE_INTEGER` if it
   * cannot be estimated, as for a store without this method.
   */
  estimateRows?(table: string, boxes: readonly Area[] | undefined, signal: AbortSignal): Promise<number>
  /** Yields features in primary key order, a page of `limit` from `offset`, as batches. */
  readFeatures(query: FeatureQuery, signal: AbortSignal): AsyncIterable<FeaturePage>
  /** Returns the unique constraints of a table; absent for a store without them. */
  uniqueKeys?(table: string): Promise<UniqueKey[]>
  dropTable(table: string): Promise<void>
  /** Returns the first and last date or time of an attribute; undefined if there is none. May be slow. */
  timeBounds(table: string, attribute: string, signal: AbortSignal): Promise<TimeBounds | undefined>
  /** Returns the state of the table, which shows changes by others; undefined if the store cannot tell. */
  state(table: string, signal: AbortSignal): Promise<TableState | undefined>
  /**
   * Returns the state text of all tables synchronously, for threads that may block; undefined if a further
   * change might not be visible. Absent if reading the state requires a query.
   */
  stateNow?(): string | undefined
  /** Present if the store has the capability `findsTileRows`; other stores are read by `readFeatures`. */
  readonly tiles?: TileReading
  close(): Promise<void>
}
