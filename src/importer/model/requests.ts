import type { Envelope } from '../../geo/envelope.ts'
import type { GeometryType } from '../../geo/schema.ts'
import type { DatabaseConnection } from '../../sources/database/database.ts'
import type { RemoteCredentials } from '../../sources/remote/credentials.ts'
import type { LoadMode } from '../../stores/store.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { MosaicTime } from './granule-record.ts'
import type { ImportSource } from './import-record.ts'
import type { StopRules } from './stop-rules.ts'
import type { AttributeChoice, RejectLimit } from './task-record.ts'

export interface WantedSource {
  type: ImportSource['type']
  /** Absent: an empty folder that uploads fill. */
  path?: string
  charset?: string
  /** Where the times of a mosaic's granules come from. */
  time?: MosaicTime
  /** What data of type `remote` are fetched by. */
  remote?: WantedRemote
  /** What data of type `database` are read from. */
  database?: WantedDatabase
  /** Puts files that came before into a folder, which it makes. */
  place?(folder: string): Promise<void>
}

export interface NewImport {
  proposedId?: number
  workspace?: string
  store?: string
  source?: WantedSource
  transforms: TransformSpec[]
  isArchived: boolean
  allowEmpty?: boolean
  isAsync: boolean
  user?: string
}

export interface LayerChange {
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
  /** Null takes the rules away. */
  stopIf?: StopRules | null
  charset?: string
  rejectLimit?: RejectLimit
  repair?: boolean
  allowEmpty?: boolean
  layer?: LayerChange
  /** Name of a store in the import's workspace. */
  store?: string
  /** Where the import and all its tasks go; done before the rest. */
  workspace?: string
  transforms?: TransformSpec[]
}

export interface WantedDatabase {
  connection: DatabaseConnection
  tables?: string[]
}

export interface WantedRemote extends RemoteCredentials {
  location: string
}
