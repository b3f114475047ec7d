import type { Filter } from '../filters/filter.ts'
import type { Area } from '../geo/area.ts'
import type { FeatureBatch } from '../geo/batch.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Schema } from '../geo/schema.ts'
import type { Reach } from '../lib/network/reach.ts'
import type { ChangeCounts, RowChange, TableComparison, UpsertRules } from './changes.ts'
import type { ColumnIndexes, OrderedRows, ReadValues } from './order.ts'

/** The name of a type of store: what there is stands in the registry, with what it can do. */
export type StoreType = string

/** Connection parameters by their wire names (`host`, `port`, `database`, `schema`, `user`, `passwd`, `path`). */
export type StoreParameters = Record<string, string>

/** What opens a store, secrets included. Plain data: it crosses threads, and is never logged or shown. */
export interface StoreConnection {
  type: StoreType
  parameters: StoreParameters
  /** Of a file that is served as it is: the folder with its index. */
  indexFolder?: string
  /** Where the connection may lead; absent where an administrator vouches for it. */
  reach?: Reach
}

/** What a load does with the table: makes it, exchanges its rows, or adds to them. */
export const updateModes = ['CREATE', 'REPLACE', 'APPEND'] as const
export type UpdateMode = (typeof updateModes)[number]

/** `UPSERT` inserts rows with new keys and changes those of known ones that differ by value. */
export const loadModes = [...updateModes, 'UPSERT'] as const
export type LoadMode = (typeof loadModes)[number]

/** What a store tells of one of its tables. */
export interface TableDescription {
  name: string
  schema: Schema
  /** The column that identifies a feature, where there is one. */
  primaryKey?: string
  featureCount?: number
  envelope?: Envelope
}

/** Columns of which no two rows of a table may have the same values, whatever else they hold. */
export interface UniqueKey {
  columns: string[]
  isPrimary: boolean
}

/** A state of a table that was put aside. Plain data, which is recorded. */
export interface KeptState {
  /** Names it in the store; given by who asked for it to be kept. */
  id: string
  /** `whole`: the rows themselves. `difference`: what has to be undone in the state that came after it. */
  form: 'whole' | 'difference'
  /** The table as it was, its rows counted. */
  table: TableDescription
  /** What it takes in the store, about. */
  sizeBytes: number
  /** What the store has to know besides. */
  detail: Record<string, string | number | boolean | null>
}

/** Why a state could not be kept, in words for people. */
export interface NotKept {
  reason: string
}

/** The way to a state: the first stands whole or belongs to the table as it is now, each other one to the one before it. */
export type StatePath = readonly KeptState[]

/** How one load goes into a table. Plain data: it crosses threads. */
export interface LoadRequest {
  /** Unique for each attempt; names the staging objects so that `sweep` finds them after a crash. */
  loadId: string
  mode: LoadMode
  /** The table wanted; `CREATE` fails with code `table-exists` when it is there. */
  table: string
  /** Schema of the batches. For `CREATE` (and `REPLACE` of nothing) the table is made from it. */
  schema: Schema
  /** Columns to index after the load (CreateIndexTransform). */
  indexes: string[]
  /** Of an `UPSERT`, and only there. */
  upsert?: UpsertRules
  /**
   * Until `prepare` nothing is written but staged rows, whatever the mode: no row, lock, dead row or number of a sequence
   * of the target, and no byte of its file.
   */
  isRehearsal?: boolean
  /** What the table was before is kept under this id, where that is possible. */
  keepAs?: string
}

/** What a load comes to. */
export interface LoadResult {
  rowsLoaded: number
  envelope?: Envelope
  /** Column names as stored, by attribute name, where they differ. */
  renamed: Record<string, string>
  /** What `findTable` would say after the commit, where the store knows it without another look. */
  table?: TableDescription
  /** What became of the rows; known once an `UPSERT` is prepared. */
  changes?: ChangeCounts
  /** What was asked to be kept by `keepAs`; known once the load is prepared. */
  kept?: KeptState | NotKept
}

/** What a load tells while it is staged and prepared. */
export interface LoadHooks {
  /** Stops the load, whatever it is at, until `commit` is called. */
  signal: AbortSignal
  onMessage(message: { level: 'info' | 'warning' | 'error'; message: string; code: string }): void
  /** Rows of a batch that the store refuses (a geometry of the wrong type, a value out of range). */
  onReject(batch: FeatureBatch, row: number, reason: { field?: string; reason: string }): void
  /**
   * Awaited before rows are written to the table itself, as nobody sees until the commit. By `mark` the store tells later
   * whether the table is still what it is now: a load that breaks off leaves it looking otherwise.
   */
  beforeTouch?(mark: string): Promise<void>
}

/**
 * A load whose rows and index are written, and seen by nobody. Either `prepare` or `discard` it. A method that throws
 * has discarded it.
 */
export interface StagedLoad {
  /** As far as it is known now: rules of the table may refuse rows yet when they are put in place. */
  readonly result: LoadResult
  /** Puts the rows in place inside a transaction, which others that write may have to wait for from now on. */
  prepare(): Promise<PreparedLoad>
  /** Leaves the target as it was and nothing behind. */
  discard(): Promise<void>
  /**
   * What a commit would do, by `keys` or by whole rows. Only of a rehearsal. Rows that it gives to `onReject` are staged no
   * longer: nobody hears of them again.
   */
  compare?(keys: string[] | undefined, signal: AbortSignal): Promise<TableComparison>
  /** Closes everything but the staged rows, which stay until `takeUp` or `sweep`. Gives what `takeUp` needs to know. */
  layBy?(): Promise<string>
}

/** A load of which only the commit is missing. Either `commit` or `discard` it soon. A method that throws has discarded it. */
export interface PreparedLoad {
  readonly result: LoadResult
  /** Lets `outcome` tell after a crash whether the commit happened: to be recorded durably before `commit`. */
  readonly token: string
  /** Makes the rows visible, all at once. */
  commit(): Promise<void>
  /** Leaves the target as it was and nothing behind. */
  discard(): Promise<void>
  /** Exactly what the commit of an `UPSERT` will do. To be read before it. */
  changes?(): AsyncIterable<RowChange[]>
}

/** What brings a table back to a state. */
export interface RestoreRequest {
  /** As that of a load: `outcome` and `sweep` know it. */
  loadId: string
  table: string
  path: StatePath
  /** The present state is kept under this id. */
  keepAs?: string
  /** Ids of states that are kept as differences to the one that is meant: these lead back from it again. */
  followers?: string[]
}

/**
 * States of tables that are kept beside them: seen by nobody who lists tables, read by nobody who may not read the table. A
 * whole one is kept until it is restored alone, for it is the table then; every other one stays.
 */
export interface TableStates {
  /** Like a load whose rows lie ready: readers see the table as it was or as it is meant to be. It may be gone meanwhile. */
  stageRestore(request: RestoreRequest, hooks: LoadHooks): Promise<StagedLoad>
  /** Takes the table away and keeps it whole. */
  putAside(table: string, keepAs: string): Promise<KeptState | NotKept>
  /** The rows of a state with the ids that they had, in the order of their keys. */
  read(table: string, path: StatePath, signal: AbortSignal): AsyncIterable<FeaturePage>
  /** Removes what is kept; does nothing where it is gone. */
  drop(kept: Pick<KeptState, 'id'>): Promise<void>
  /** Whether nothing was committed to the table since `mark` was given to `beforeTouch`; present where that is called. */
  isUnchanged?(table: string, mark: string): Promise<boolean>
  /** The ids of everything that is kept in this store, to find what nobody knows of any more. */
  list(): Promise<string[]>
}

/** What a feature query asks; envelopes are in the table's CRS. */
export interface FeatureQuery extends OrderedRows, ReadValues {
  table: string
  limit: number
  offset: number
  /** Features that touch one of these, exactly, and those without geometry: two where a box crosses the antimeridian. */
  bboxes?: Area[]
  /** Attribute of type date or timestamp with an interval; an open end is undefined. ISO 8601 text. */
  time?: { attribute: string; from?: string; to?: string }
  /** What features are asked for besides; its geometries are in the table's CRS, its names those of the columns. */
  filter?: Filter
  /** One feature by its identifier, or features by theirs, each once, in the order of the question. */
  featureId?: string
  featureIds?: readonly string[]
  /** What is needed of each row, without its geometry unless `withGeometry`; a store may give more. Absent: all. */
  attributes?: readonly string[]
  withGeometry?: boolean
  /** In which attribute, a text, identifiers stand where that is not the key of the table: of copies of ours. */
  idAttribute?: string
}

/** Text ids of features come beside the batch, in row order; `isKeyed`: by an id a later question may go on. */
export interface FeaturePage {
  batch: FeatureBatch
  ids: string[]
  isKeyed?: boolean
}

/** Which rows are read for a tile. Rows without geometry are left out. */
export interface TileQuery {
  table: string
  /**
   * In the table's CRS. Rows whose geometry touches one of these, and maybe others whose envelope, rounded outwards,
   * does; a row never twice. Absent: all.
   */
  boxes?: Envelope[]
  /** Of these rows those with ids that `readEnvelopes` gave for the same boxes, in the order in which it gave them. */
  ids?: readonly string[]
  /** The attributes that are read; absent: all. */
  attributes?: readonly string[]
}

/** Envelopes of rows, maybe rounded outwards: minX, minY, maxX, maxY for each id. */
export interface EnvelopePage {
  ids: string[]
  envelopes: Float64Array
}

/** The same of rows whose ids are whole numbers, in memory that the next page takes again. */
export interface NumberedEnvelopes {
  ids: Float64Array
  envelopes: Float64Array
}

/** What reading rows tells beside them. */
export interface TileNote {
  /** The `text` of the table's state by a look that began when the rows had been read; absent where there was none. */
  seen?: string
}

/** Reads rows for tiles, in an order that is the same as long as the table is: that of the keys where it has any. */
export interface TileReads {
  /** `note` is filled in when the last page has been taken. */
  readTile(query: TileQuery, signal: AbortSignal, note?: TileNote): AsyncIterable<FeaturePage>
  readEnvelopes(query: Pick<TileQuery, 'table' | 'boxes'>, signal: AbortSignal): AsyncIterable<EnvelopePage>
  /** As `readEnvelopes` of a whole table within `atOneState`, in any order; undefined where keys are no whole numbers. */
  readNumbered?(table: string, signal: AbortSignal): Promise<AsyncIterable<NumberedEnvelopes> | undefined>
}

/** Which rows are read for several tiles of one table at once. */
export interface TilesQuery extends Pick<TileQuery, 'table' | 'attributes'> {
  /** For each tile what `boxes` is for one; at most `mostTilesAtOnce`. */
  boxesOf: readonly Envelope[][]
}

/** Tiles that are read at once at most. */
export const mostTilesAtOnce = 8

/** A page of rows, each of which stands there once, however many tiles it is for. */
export interface TilesPage extends FeaturePage {
  /** For each tile its rows by their places in the page, in their order: those that `readTile` gives for its boxes. */
  rowsOf: readonly Uint32Array[]
}

/** A store's own way to read rows for tiles; see `tileReadingOf`. */
export interface TileReading extends TileReads {
  /** As `readTile`, for several tiles; present exactly where the store says that it `readsTilesTogether`. */
  readTiles?(query: TilesQuery, signal: AbortSignal, note?: TileNote): AsyncIterable<TilesPage>
  /** Whatever `work` reads of the table by what it is given is of one state of it. */
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

/** What a table is like at a moment. */
export interface TableState {
  /** Another one after any change of the table, whoever made it; maybe another one without any. */
  text: string
  /** Earlier texts since which loads of this process alone have written to the file or database. */
  sameAs?: Pick<ReadonlySet<string>, 'has'>
  /** Whether a change may be there already that shows a little later only. */
  mayLag?: boolean
}

/** One change of one feature, as a store is asked for it. Plain data. */
export interface EditRequest {
  /** Unique for each attempt. */
  editId: string
  table: string
  /** The feature that is meant; absent where one is to be added. */
  featureId?: string
  /** Under which id it is kept what the table was before; `isBegun` where earlier edits have done so already. */
  keep?: { id: string; isBegun: boolean }
  /** Of the table before, as far as that is known: for stores that do not know it themselves. */
  envelope?: Envelope
}

/**
 * What becomes of the feature. Of `row` the first row alone counts, and of its schema those columns that are to be written,
 * under the names of the table; others take their defaults, or keep their values.
 */
export type FeatureChange =
  | { kind: 'add' | 'change'; row: FeatureBatch }
  | { kind: 'remove' }
  /** All is as it is meant to be. */
  | { kind: 'none' }

/** A table that is edited, and the feature that is meant as it is now: nobody else changes it meanwhile. */
export interface EditedTable {
  table: TableDescription
  /** Columns that the store computes: no value can be given. */
  computed: ReadonlySet<string>
  /** One row; undefined where there is no such feature. */
  present: FeaturePage | undefined
}

/** Says what is to be done; what it throws ends the edit and is thrown. */
export type DecideChange = (edited: EditedTable) => Promise<FeatureChange>

/** Rows that differ from what is kept, by what became of them: what an edit adds to these numbers. */
export interface EditCounts {
  added: number
  changed: number
  removed: number
}

/** What an edit comes to. */
export interface EditResult {
  /** The feature that was meant, or was added. */
  featureId: string
  /** As it is now, one row; absent of one that was removed. */
  feature?: FeaturePage
  /** All 0 where nothing was to be done. */
  counts: EditCounts
  /** By how many rows the table has grown. */
  rowsAdded: number
  /** Of the table as it is now. */
  envelope?: Envelope
  kept?: KeptState | NotKept
}

/** An edit of which only the commit is missing. Either `commit` or `discard` it at once. */
export interface PreparedEdit {
  readonly result: EditResult
  /** As that of a load: for `outcome`. */
  readonly token: string
  commit(): Promise<void>
  /** Undoes what was written; the table may look otherwise than before, which `isUnchanged` knows by the mark. */
  discard(): Promise<void>
}

/** What an edit tells before it is committed. */
export interface EditHooks {
  /** Ends the edit until `commit` is called. */
  signal: AbortSignal
  /** Awaited before a row is written, as that of a load; the token is that of the edit. */
  beforeTouch(token: string, mark: string): Promise<void>
}

/** Changes single features of tables. */
export interface TableEdits {
  /** Why the rows of a table cannot be changed, in words for people; undefined where they can. */
  whyNot(table: string): Promise<string | undefined>
  /** Throws `Failure` where the table, a constraint of it or `decide` is against it. */
  prepare(request: EditRequest, decide: DecideChange, hooks: EditHooks): Promise<PreparedEdit>
}

/**
 * A database or file that holds vector tables. Every method may throw `Failure` of kind `unavailable` when the
 * database cannot be reached. A load is atomic: readers see the table as it was or as it is meant to be, never half;
 * whatever fails before its commit leaves nothing behind.
 */
export interface VectorStore extends ColumnIndexes {
  readonly type: StoreType
  /** Tries the connection; throws `Failure` (`invalid`) that says what is wrong: host, password, file. */
  check(signal: AbortSignal): Promise<void>
  listTables(): Promise<string[]>
  findTable(table: string): Promise<TableDescription | undefined>
  /** A name like `wanted` that the store accepts for a table, with `suffix` at its end whatever is cut; it need not be free. */
  tableName(wanted: string, suffix?: string): string
  /** Writes rows beside their target; see `commitLoad` for the steps that follow. */
  stage(request: LoadRequest, batches: AsyncIterable<FeatureBatch>, hooks: LoadHooks): Promise<StagedLoad>
  /** Goes on with a rehearsal that was laid by; throws `Failure` with code `staged-gone` where its rows or its target are not what they were. */
  takeUp?(request: LoadRequest, laidBy: string, hooks: LoadHooks): Promise<StagedLoad>
  /** Present where the store keeps states of its tables. */
  readonly states?: TableStates
  /** Present where single features can be changed. */
  readonly edits?: TableEdits
  /** After a crash: whether the commit that `token` stands for happened. */
  outcome(token: string): Promise<'committed' | 'absent'>
  /** Removes staging objects that `loadId` left behind. */
  sweep(loadId: string): Promise<void>
  /** Number of features that match, exact. */
  count(query: Omit<FeatureQuery, 'limit' | 'offset'>, signal: AbortSignal): Promise<number>
  /**
   * Returns an estimate of the number of rows, or of those that may touch one of the boxes (in the CRS of the table), from
   * statistics and indexes alone. 0 where there is no such table. `Number.MAX_SAFE_INTEGER` where nothing tells; a store
   * without this method tells nothing.
   */
  estimateRows?(table: string, boxes: readonly Area[] | undefined, signal: AbortSignal): Promise<number>
  /** Features in primary-key order, a page of `limit` from `offset`, as a stream of batches. */
  readFeatures(query: FeatureQuery, signal: AbortSignal): AsyncIterable<FeaturePage>
  /** The rules of a table by which no two of its rows are alike; absent where a store has none. */
  uniqueKeys?(table: string): Promise<UniqueKey[]>
  dropTable(table: string): Promise<void>
  /** From the first to the last date or time of an attribute; undefined where there is none. Takes time. */
  timeBounds(table: string, attribute: string, signal: AbortSignal): Promise<TimeBounds | undefined>
  /** What tells whether others have changed the table; undefined where nothing does. */
  state(table: string, signal: AbortSignal): Promise<TableState | undefined>
  /**
   * The text of the state of every table at once, for threads that may wait for a file; undefined where a further change might not
   * show. Absent where that takes a question.
   */
  stateNow?(): string | undefined
  /** Present exactly where the store says that it `findsTileRows`; others are read by `readFeatures`. */
  readonly tiles?: TileReading
  close(): Promise<void>
}
