import type { CatalogTransaction, StoreKind, StoreRecord } from '../../catalog/index.ts'
import type { DataFile, FormatMessage } from '../../formats/worker.ts'
import type { Schema } from '../../geo/schema.ts'
import type { StoreConnection, TableDescription } from '../../stores/index.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { PlanContext } from '../inspect/inspect.ts'
import type {
  AttributeChoice,
  CorrectionLoad,
  DescribedFile,
  Finding,
  GranuleRecord,
  ImportRecord,
  ImportSource,
  Stopped,
  TaskDryRun,
  TaskLayer,
  TaskLoad,
  TaskRecord,
  TaskStore,
} from '../model/model.ts'
import type { Published, PublishedTable } from '../publish/publish.ts'
import type { LoadSource } from '../worker/worker.ts'

/** A running task and its import, as currently stored. */
export interface Running {
  readonly record: ImportRecord
  readonly task: TaskRecord
}

/** Inspected data of an import, from which tasks are created. */
export interface InspectedTask {
  record: ImportRecord
  described: DescribedFile[]
  context: PlanContext
  signal: AbortSignal
}

/** The tasks of data, not yet examined or saved; their ids continue those of the import. */
export interface TaskPlan {
  tasks: TaskRecord[]
  messages: FormatMessage[]
  /** To be saved together with the tasks. */
  granules?: GranuleRecord[]
  /** An existing task that received the data. */
  grown?: TaskRecord
  /** The import source, completed by what the inspection found. */
  source?: ImportSource
}

/** Result of examining a task. */
export interface Examination {
  finding: Finding
  /** Why it cannot run, for `ERROR`, `BAD_FORMAT` and `NO_FORMAT`. */
  reason?: string
  /** Machine-readable code of the message. */
  code?: string
  target?: TaskStore
  isDirect: boolean
}

/** Catalogue data that examining a task uses. */
export interface ExamineContext {
  workspace: string
  /** The store that the task or its import names. */
  store?: TaskStore & { kind: StoreKind }
  /** Store of the published layer that a REPLACE or APPEND targets, if the layer exists. */
  layerStore?: TaskStore & { kind: StoreKind }
  /** Default data store of the workspace; absent until one is first needed. */
  defaultStore?: TaskStore
  /** True if a transformation that refers to a missing field fails only when run. */
  acceptsUnknownFields?: boolean
  /** Returns the schema at the end of the chain; throws if the chain does not fit. */
  chainSchema(task: TaskRecord): Schema
}

/**
 * Naming of a new table. With `isLookedUp` the name is checked against the names in the store. Without it the
 * load itself refuses a taken name, because listing names is slow in a GeoPackage with many tables.
 */
export interface Naming {
  isLookedUp: boolean
  signal: AbortSignal
}

/** Target of one load attempt. `release` frees the names reserved for it. */
export interface Placed {
  /** Stored before anything is staged, for recovery; absent if no store receives rows. */
  load?: TaskLoad
  turns: LockKeys
  /** Writes the data to a staging area; nothing becomes visible. If it throws, only `load` is left. */
  stage(notes: StageNotes, signal: AbortSignal): Promise<StagedTask>
  release(): void
}

/** The rows of a task before they are loaded. Plain data; may contain secrets. */
export interface TaskRows {
  source: LoadSource
  /** Schema of the source. */
  schema: Schema
  /** Attributes to load, if the client selected some; otherwise all. */
  attributes?: AttributeChoice[]
  transforms: TransformSpec[]
  /** True to repair invalid polygons. */
  repair?: boolean
}

/** A table whose rows may be matched with those of a task. Plain data; may contain secrets. */
export interface ExistingTable {
  connection: StoreConnection
  table: string
  /** Version of the layer, if the table is a layer. */
  version?: number
}

/** Lock keys. */
export interface LockKeys {
  /** Held from staging to the commit. */
  commit?: string
  /** Held from staging until the layer is published. */
  publish?: string
}

/** Records the start of a dry run before anything is staged. */
export interface DryRunNotes {
  /** Start of the dry run, ISO 8601. */
  readonly at: string
  aim(load: TaskLoad): Promise<void>
}

/** Callbacks that store results on the task during staging. */
export interface StageNotes {
  /** The load limits stopped the load; the staged data are retained. */
  keepStopped(dryRun: TaskDryRun): Promise<void>
  /** Called when rows are about to be written to the table itself: see the store's `beforeTouch`. */
  noteTouch(mark: string): Promise<void>
  say(message: FormatMessage): Promise<void>
  /** Row counts of a load that is aborted. */
  keepCounts(counts: { rowsRead: number; rejected: number }): Promise<void>
  /** The limits of the task stopped the load of its corrected rows. */
  storeStoppedCorrections(stopped: Stopped[]): Promise<void>
  /** Result of corrected rows of which none can be loaded. */
  storeNothingCorrected(corrected: Pick<CorrectionLoad, 'number' | 'rows' | 'reasons'>): Promise<void>
}

/** Complete, invisible data, which must be committed, or discarded without a trace. */
export interface StagedTask {
  /**
   * `write` stores what recovery needs after a crash, before the store commits; not all kinds have such data.
   */
  commit(write: (note: CommitNote) => Promise<void>): Promise<Committed>
  /** Does nothing to committed and published data. */
  discard(why: unknown): Promise<void>
}

/** Data stored on the task before its store commits. */
export interface CommitNote {
  token: string
  counts: NonNullable<TaskLoad['counts']>
  kept?: NonNullable<TaskLoad['kept']>
  changes?: NonNullable<TaskLoad['changes']>
  /** Counts of corrected rows. */
  mended?: CorrectionLoad
  /** Loaded columns with their names in the store. */
  columns: NonNullable<TaskLayer['loaded']>
  messages: FormatMessage[]
}

/** Data that their store has committed. */
export interface Committed {
  publish(running: Running): Promise<TaskPublication>
}

/** A layer to publish or refresh, together with the end of its task. */
export interface TaskPublication {
  task: TaskRecord
  publishedTable: PublishedTable
  published: Published
  /** Creates or changes the store, in the same transaction. */
  makeStore?(change: CatalogTransaction): Promise<StoreRecord>
  /** Removes what the publication has made obsolete; throws nothing. */
  tidy?(): Promise<void>
}

/**
 * A kind of task: rows, a table, a file that is served directly, a raster, a mosaic. Each kind is one folder.
 * The registry chooses the kind from the record; no other code checks kinds. A kind does not save records:
 * the owner of the running task does.
 */
export interface TaskKind {
  readonly name: string
  takes(task: TaskRecord): boolean
  /** True if this kind inspects the data of the import source. */
  takesSource(source: ImportSource): boolean
  /** True if the load belongs to this kind. The load may be older than the present kind of its task. */
  takesLoad(load: TaskLoad): boolean
  /**
   * Kind of data: `isFiles` if files must be found first, `opensArchives` if archives among them are
   * unpacked.
   */
  readonly data: { isFiles: boolean; opensArchives: boolean }

  /** Creates tasks from data. */
  inspect(data: InspectedTask): Promise<TaskPlan>
  /** Inspects previously unusable data again. */
  inspectAgain(task: TaskRecord, signal: AbortSignal): Promise<TaskRecord>
  /** Files that the task was created from, with sidecars next to them. */
  listFiles(task: TaskRecord): Promise<DataFile[]>
  /** Returns what a preview can show before the load: the rows, or the footprints of rasters. */
  rows(running: Running): Promise<TaskRows>
  /**
   * Returns the table that an `UPSERT` of the task targets, as currently stored; undefined if there is none.
   */
  findTable(running: Running, signal: AbortSignal): Promise<ExistingTable | undefined>
  /** Describes that table. */
  describeTable(running: Running, signal: AbortSignal): Promise<TableDescription | undefined>
  /** True if the published layer reads the files at their source location. */
  readsInPlace(task: TaskRecord): boolean

  /**
   * Decides whether the task can run and into which store, or which input it needs. Called for tasks with a
   * format.
   */
  examine(task: TaskRecord, context: ExamineContext): Examination
  needsDefaultStore(task: TaskRecord, context: Omit<ExamineContext, 'chainSchema'>): boolean
  /** Throws if a chain of transformations does not fit the task. */
  checkTransforms(task: TaskRecord, specs: TransformSpec[]): Promise<void>
  /** Throws `Failure` if the update mode of the task is not possible. */
  checkMode(record: ImportRecord, task: TaskRecord): Promise<void>

  /** Returns the lock key under which attempts wait for each other before anything is decided. */
  turn(running: Running): Promise<string | undefined>
  /** Decides the target of the data. */
  place(running: Running, naming: Naming): Promise<Placed>
  /**
   * Dry run: does everything that a run does before its commit, and reports what the commit would do. If it
   * throws, or does not retain staged data, only the recorded load is left.
   */
  performDryRun(running: Running, notes: DryRunNotes, signal: AbortSignal): Promise<TaskDryRun>
  /**
   * Returns what an interrupted load has committed, so that it can be published; undefined if it has not
   * committed. Throws if that cannot be determined.
   */
  recover(load: TaskLoad): Promise<Committed | undefined>
  /** Removes what an uncommitted load has left. */
  discard(load: TaskLoad): Promise<void>
}
