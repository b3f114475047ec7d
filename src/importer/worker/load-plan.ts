import type { DataFile, LayerDescription } from '../../formats/worker.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { DatabaseConnection } from '../../inputs/index.ts'
import type {
  ChangeCounts,
  LoadMode,
  NotRetained,
  StoreConnection,
  TableDescription,
  TableSnapshot,
  UpsertRules,
} from '../../stores/index.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type {
  AttributeChoice,
  CorrectionLoad,
  CorrectionPlan,
  DryRun,
  DryRunOptions,
  IndexRow,
  RejectLimit,
  RetainedRows,
} from '../model/model.ts'

/** Source of rows. */
export type LoadSource =
  | { kind: 'file'; file: DataFile; format: string; layer: LayerDescription; charset?: string }
  | { kind: 'database'; connection: DatabaseConnection; table: LayerDescription }
  /** A table of a store; `isEmpty` uses only its schema. */
  | { kind: 'table'; connection: StoreConnection; table: string; isEmpty: boolean }
  /** The index of a mosaic. */
  | { kind: 'granules'; rows: IndexRow[] }

/**
 * Input of a worker for one load. Plain data: it is passed between threads. Contains secrets and must never
 * be logged.
 */
export interface LoadPlan {
  loadId: string
  source: LoadSource
  /** Attributes to load, if the client selected some; otherwise all. */
  attributes?: AttributeChoice[]
  /** The CRS of the layer, which is assumed for the data. */
  srs?: string
  transforms: TransformSpec[]
  connection: StoreConnection
  mode: LoadMode
  /** Rules of an `UPSERT`. */
  upsert?: UpsertRules
  table: string
  /** Output path of rejected rows, one JSON object per line. */
  rejectsPath: string
  rejectLimit: RejectLimit
  /** True to repair invalid polygons. */
  repair?: boolean
  /** True if a REPLACE that reads no row may empty its target. */
  allowEmpty?: boolean
  /**
   * True if a REPLACE removes rows even if the table that it loads into is empty, because that table replaces
   * another.
   */
  isTargetFilled?: boolean
  /** True to read rows without staging them, for a file that is served directly. */
  isReadOnly?: boolean
  /** Measurements to make when the rows are staged, before any commit. */
  trial?: DryRunOptions
  /** Rows staged earlier under the same `loadId`, and the location of their rejected rows. */
  takeUp?: RetainedRows & { rejected: number; rejectsPath: string }
  /** Output path of the list of `UPSERT` changes; absent: no list. */
  changesPath?: string
  /** Id under which the previous contents of the table are retained. */
  keepAs?: string
  /**
   * Set if the rows are corrected rows of a completed task; `rejectsPath` receives those that are rejected
   * again.
   */
  mended?: CorrectionPlan
}

/** Result of a load that stops before its commit. */
export interface TriedLoad {
  trial: DryRun
  /** Absent if the store cannot retain staged rows. */
  laidBy?: RetainedRows
}

/** Result of a load. Every row read is counted in `rowsLoaded` or in `rejected`. */
export interface LoadOutcome {
  rowsRead: number
  rowsLoaded: number
  rejected: number
  /** Schema of the rows as passed to the store. */
  schema: Schema
  envelope?: Envelope
  renamed: Record<string, string>
  /** The table after the load, if the store has described it. */
  table?: TableDescription
  /** Previous contents of the table, if they were to be retained. */
  kept?: TableSnapshot | NotRetained
  /** Row changes of an `UPSERT`. */
  changes?: ChangeCounts
  /** Result of corrected rows. */
  mended?: CorrectionOutcome
}

/** Result of corrected rows. */
export type CorrectionOutcome = Pick<CorrectionLoad, 'rows' | 'reasons'>

export interface LoadProgress {
  phase: 'loading' | 'committing'
  /** Rows processed so far, including rejected ones. */
  rows: number
  rejected: number
  /** True once all rows of the source are read. */
  isReadToEnd?: boolean
}
