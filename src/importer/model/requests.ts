import type { Envelope } from '../../geo/envelope.ts'
import type { GeometryType } from '../../geo/schema.ts'
import type { DatabaseConnection, RemoteCredentials } from '../../inputs/index.ts'
import type { LoadMode } from '../../stores/index.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { MosaicTime } from './granule-record.ts'
import type { ImportSource, SourceRun } from './import-record.ts'
import type { StopRules } from './stop-rules.ts'
import type { AttributeChoice, RejectLimit } from './task-record.ts'

export interface SourceRequest {
  type: ImportSource['type']
  /** Absent: an empty folder for uploads. */
  path?: string
  charset?: string
  /** Source of the times of the granules of a mosaic. */
  time?: MosaicTime
  /** Location and credentials of data of type `remote`. */
  remote?: RemoteRequest
  /** Connection for data of type `database`. */
  database?: DatabaseRequest
  /** Moves previously uploaded files to a folder, which it creates. */
  place?(folder: string): Promise<void>
}

export interface NewImport {
  proposedId?: number
  workspace?: string
  store?: string
  source?: SourceRequest
  transforms: TransformSpec[]
  isArchived: boolean
  allowEmpty?: boolean
  isAsync: boolean
  user?: string
  /** Run of a source that creates the import. */
  sourceRun?: SourceRun
}

export interface TaskLayerChange {
  name?: string
  title?: string
  abstract?: string
  description?: string
  originalName?: string
  nativeName?: string
  srs?: string
  bounds?: Envelope
  attributes?: AttributeChoice[]
  geometryType?: GeometryType
  style?: string
}

export interface TaskChange {
  updateMode?: LoadMode
  keys?: string[]
  deleteMissing?: boolean
  /** Null removes the rules. */
  stopIf?: StopRules | null
  charset?: string
  rejectLimit?: RejectLimit
  repair?: boolean
  allowEmpty?: boolean
  layer?: TaskLayerChange
  /** Name of a store in the import's workspace. */
  store?: string
  /** Target workspace of the import and all its tasks; set before the other changes. */
  workspace?: string
  transforms?: TransformSpec[]
}

export interface DatabaseRequest {
  connection: DatabaseConnection
  tables?: string[]
}

export interface RemoteRequest extends RemoteCredentials {
  location: string
}
