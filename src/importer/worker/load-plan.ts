import type { DataFile, LayerDescription } from '../../formats/format.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { DatabaseConnection } from '../../sources/database/database.ts'
import type { StoreConnection, TableDescription, UpdateMode } from '../../stores/store.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { AttributeChoice, IndexRow, RejectLimit } from '../model/model.ts'

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
  mode: UpdateMode
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
}

export interface LoadProgress {
  phase: 'loading' | 'committing'
  /** Rows taken so far, rejected ones included. */
  rows: number
  rejected: number
}
