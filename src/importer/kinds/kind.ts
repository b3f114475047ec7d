import type { CatalogTransaction } from '../../catalog/doors/transaction.ts'
import type { StoreKind, StoreRecord } from '../../catalog/records.ts'
import type { DataFile, Message } from '../../formats/format.ts'
import type { Schema } from '../../geo/schema.ts'
import type { StoreConnection, TableDescription } from '../../stores/store.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { PlanContext } from '../look/look.ts'
import type {
  AttributeChoice,
  DescribedFile,
  Finding,
  GranuleRecord,
  ImportRecord,
  ImportSource,
  MendedLoad,
  Stopped,
  TaskLayer,
  TaskLoad,
  TaskRecord,
  TaskStore,
  TaskTrial,
} from '../model/model.ts'
import type { Place, Published } from '../publish/publish.ts'
import type { LoadSource } from '../worker/worker.ts'

/** A task that runs, with its import, as both stand now. */
export interface Running {
  readonly record: ImportRecord
  readonly task: TaskRecord
}

/** Data of an import that tasks are to be made of. */
export interface LookedAt {
  record: ImportRecord
  described: DescribedFile[]
  context: PlanContext
  signal: AbortSignal
}

/** The tasks of data, not yet examined or saved; ids go on from the import's next. */
export interface TaskPlan {
  tasks: TaskRecord[]
  messages: Message[]
  /** To be saved with the tasks. */
  granules?: GranuleRecord[]
  /** A task that was there and took the data. */
  grown?: TaskRecord
  /** The import's source with what was learnt of it. */
  source?: ImportSource
}

/** What a look at a task comes to. */
export interface Examination {
  finding: Finding
  /** Why it cannot run, for `ERROR`, `BAD_FORMAT` and `NO_FORMAT`. */
  reason?: string
  /** By which programs tell that. */
  code?: string
  target?: TaskStore
  isDirect: boolean
}

/** What a look at a task knows of the catalogue. */
export interface ExamineContext {
  workspace: string
  /** The store that the task or its import names. */
  store?: TaskStore & { kind: StoreKind }
  /** The store of the published layer that a REPLACE or APPEND means, where there is one. */
  layerStore?: TaskStore & { kind: StoreKind }
  /** Default data store of the workspace; absent while nobody has needed it. */
  defaultStore?: TaskStore
  /** Whether a transformation of a field that is not there fails at run only. */
  acceptsUnknownFields?: boolean
  /** The schema at the end of the chain; throws when the chain does not fit. */
  chainSchema(task: TaskRecord): Schema
}

/**
 * How a new table is named: after a look at which names are free in the store, or without one, since the load itself
 * refuses a name that is taken and a look takes long in a GeoPackage of many tables.
 */
export interface Naming {
  isLookedUp: boolean
  signal: AbortSignal
}

/** Where the data of one attempt go. `release` gives back the names that are reserved for it. */
export interface Placed {
  /** Written down before anything is staged, so that a later start finds it; absent where no store takes rows. */
  load?: TaskLoad
  turns: Turns
  /** Brings the data beside their place; nothing is visible of them. What it throws has left nothing but `load`. */
  stage(notes: StageNotes, signal: AbortSignal): Promise<Staged>
  release(): void
}

/** The rows of a task before they are loaded. Plain data; it may hold secrets. */
export interface TaskRows {
  source: LoadSource
  /** As the source gives them. */
  schema: Schema
  /** What is loaded, where the client chose; otherwise all. */
  attributes?: AttributeChoice[]
  transforms: TransformSpec[]
  /** Whether invalid polygons are repaired. */
  repair?: boolean
}

/** A table that rows of a task may be matched with. Plain data; it may hold secrets. */
export interface ExistingTable {
  connection: StoreConnection
  table: string
  /** Of the layer, where it is one. */
  version?: number
}

/** Keys under which one works at a time. */
export interface Turns {
  /** From staging to the commit. */
  commit?: string
  /** From staging until the layer is published. */
  publish?: string
}

/** What a rehearsal writes down before it stages anything. */
export interface RehearsalNotes {
  /** When it began; ISO 8601. */
  readonly at: string
  aim(load: TaskLoad): Promise<void>
}

/** What staging may write down on the task at once. */
export interface StageNotes {
  /** The limits of the load have stopped it; what was staged is laid by. */
  keepStopped(trial: TaskTrial): Promise<void>
  /** Rows are about to be written to the table itself: see the store's `beforeTouch`. */
  noteTouch(mark: string): Promise<void>
  say(message: Message): Promise<void>
  /** The numbers of a load that is given up. */
  keepCounts(counts: { rowsRead: number; rejected: number }): Promise<void>
  /** The limits of the task have stopped the load of its mended rows. */
  keepMendingStopped(stopped: Stopped[]): Promise<void>
  /** What became of mended rows of which none can be loaded. */
  keepNothingMended(mended: Pick<MendedLoad, 'number' | 'rows' | 'reasons'>): Promise<void>
}

/** Data that are whole and invisible: they are committed, or discarded as if they had never been there. */
export interface Staged {
  /** `write` puts down what must be known before the commit, for whoever finds it after a crash; not all have that. */
  commit(write: (note: CommitNote) => Promise<void>): Promise<Committed>
  /** Does nothing to what was committed and published. */
  discard(why: unknown): Promise<void>
}

/** What stands on the task before its store commits. */
export interface CommitNote {
  token: string
  counts: NonNullable<TaskLoad['counts']>
  kept?: NonNullable<TaskLoad['kept']>
  changes?: NonNullable<TaskLoad['changes']>
  /** Of mended rows. */
  mended?: MendedLoad
  /** What went to the store, under the names that it has there. */
  columns: NonNullable<TaskLayer['loaded']>
  messages: Message[]
}

/** Data that their store has for good. */
export interface Committed {
  publish(running: Running): Promise<Publication>
}

/** A layer to publish, or to refresh, together with the end of its task. */
export interface Publication {
  task: TaskRecord
  place: Place
  published: Published
  /** Makes or changes the store, in the same transaction. */
  makeStore?(change: CatalogTransaction): Promise<StoreRecord>
  /** Takes away what the publication has made superfluous; throws nothing. */
  tidy?(): Promise<void>
}

/**
 * What a task is: rows, a table, a file that is served as it is, a raster, a mosaic. Each is one folder, chosen by the
 * registry from the record; nobody else asks which it is. A kind saves nothing itself: the owner of the running task does.
 */
export interface TaskKind {
  readonly name: string
  takes(task: TaskRecord): boolean
  /** Whether an import's data are looked at by this kind. */
  takesSource(source: ImportSource): boolean
  /** Whether a load is of this kind; it may be older than what its task is now. */
  takesLoad(load: TaskLoad): boolean
  /** Whether its data are files that have to be found first, and whether archives among them are opened. */
  readonly data: { isFiles: boolean; opensArchives: boolean }

  /** Makes tasks of data. */
  look(data: LookedAt): Promise<TaskPlan>
  /** Looks again at data that could not be used before. */
  lookAgain(task: TaskRecord, signal: AbortSignal): Promise<TaskRecord>
  /** The files that the task came from, sidecars beside them. */
  listFiles(task: TaskRecord): Promise<DataFile[]>
  /** What of the task can be looked at before its load: its rows, or where its rasters lie. */
  rows(running: Running): Promise<TaskRows>
  /** The table that an `UPSERT` of the task would go to, as it is read; undefined where there is none. */
  findTable(running: Running, signal: AbortSignal): Promise<ExistingTable | undefined>
  /** Describes that table. */
  describeTable(running: Running, signal: AbortSignal): Promise<TableDescription | undefined>
  /** Whether the published layer reads the files where they lie. */
  readsInPlace(task: TaskRecord): boolean

  /** Whether the task can run and into which store, or what it waits for. Asked of tasks with a format. */
  examine(task: TaskRecord, context: ExamineContext): Examination
  needsDefaultStore(task: TaskRecord, context: Omit<ExamineContext, 'chainSchema'>): boolean
  /** Throws where a chain of transformations does not suit the task. */
  checkTransforms(task: TaskRecord, specs: TransformSpec[]): Promise<void>
  /** Throws `Failure` where the task's update mode is refused at once. */
  checkMode(record: ImportRecord, task: TaskRecord): Promise<void>

  /** What attempts wait for each other by, before anything is decided. */
  turn(running: Running): Promise<string | undefined>
  /** Decides where the data go. */
  place(running: Running, naming: Naming): Promise<Placed>
  /**
   * Does what a run would do before its commit, and tells what that would do. What it throws, and what is not laid by, has
   * left nothing but the load that it noted.
   */
  rehearse(running: Running, notes: RehearsalNotes, signal: AbortSignal): Promise<TaskTrial>
  /** What a load that broke off has committed, to be published; undefined where it has not. Throws where nobody knows. */
  recover(load: TaskLoad): Promise<Committed | undefined>
  /** Takes away what a load that was not committed has left. */
  discard(load: TaskLoad): Promise<void>
}
