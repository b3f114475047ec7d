import type { DataFile, LayerDescription } from '../../formats/format.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { DatabaseConnection } from '../../sources/database/database.ts'
import type { ChangeCounts, UpsertRules } from '../../stores/changes.ts'
import type { KeptState, LoadMode, NotKept, StoreConnection, TableDescription } from '../../stores/store.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type {
  AttributeChoice,
  IndexRow,
  LaidBy,
  MendedLoad,
  MendedPlan,
  RejectLimit,
  Trial,
  TrialWish,
} from '../model/model.ts'

/** Where rows come from. */
export type LoadSource =
  | { kind: 'file'; file: DataFile; format: string; layer: LayerDescription; charset?: string }
  | { kind: 'database'; connection: DatabaseConnection; table: LayerDescription }
  /** A table of a store; `isEmpty` takes its schema alone. */
  | { kind: 'table'; connection: StoreConnection; table: string; isEmpty: boolean }
  /** The index of a mosaic. */
  | { kind: 'granules'; rows: IndexRow[] }

/** Everything a worker needs for one load. Plain data: it crosses threads; it holds secrets and is never logged. */
export interface LoadPlan {
  loadId: string
  source: LoadSource
  /** What is loaded, where the client chose; otherwise all. */
  attributes?: AttributeChoice[]
  /** The layer's CRS, which the data are taken to be in. */
  srs?: string
  transforms: TransformSpec[]
  connection: StoreConnection
  mode: LoadMode
  /** Of an `UPSERT`. */
  upsert?: UpsertRules
  table: string
  /** Where rejected rows are written, one JSON object a line. */
  rejectsPath: string
  rejectLimit: RejectLimit
  /** Whether invalid polygons are repaired. */
  repair?: boolean
  /** Whether a REPLACE that reads no row may empty its target. */
  allowEmpty?: boolean
  /** What a REPLACE takes away has rows, whatever the table loaded into holds: it stands in for another. */
  isTargetFilled?: boolean
  /** Rows are read, and neither staged nor looked for: the file is served as it is. */
  isReadOnly?: boolean
  /** What is looked at when the rows are staged, before any commit. */
  trial?: TrialWish
  /** Rows that were staged before under the same `loadId`, and where those lie that were rejected. */
  takeUp?: LaidBy & { rejected: number; rejectsPath: string }
  /** Where what an `UPSERT` changes is listed; absent: nowhere. */
  changesPath?: string
  /** What the table was before is kept under this id. */
  keepAs?: string
  /** The rows are mended ones of a task that is complete; `rejectsPath` takes those that are rejected again. */
  mended?: MendedPlan
}

/** What a load comes to that stops before its commit. */
export interface TriedLoad {
  trial: Trial
  /** Absent where the store lays nothing by. */
  laidBy?: LaidBy
}

/** What a load came to; every row read stands in `rowsLoaded` or in `rejected`. */
export interface LoadOutcome {
  rowsRead: number
  rowsLoaded: number
  rejected: number
  /** Schema of the rows as they were given to the store. */
  schema: Schema
  envelope?: Envelope
  renamed: Record<string, string>
  /** The table as it is after the load, where the store has told. */
  table?: TableDescription
  /** What became of what the table was before, where it was to be kept. */
  kept?: KeptState | NotKept
  /** Of an `UPSERT` what becomes of the rows. */
  changes?: ChangeCounts
  /** Of mended rows. */
  mended?: MendedOutcome
}

/** What became of mended rows. */
export type MendedOutcome = Pick<MendedLoad, 'rows' | 'reasons'>

export interface LoadProgress {
  phase: 'loading' | 'committing'
  /** Rows taken so far, rejected ones included. */
  rows: number
  rejected: number
}
