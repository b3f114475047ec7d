import type { DataFile, LayerDescription, Message } from '../../formats/format.ts'
import type { CrsCandidate } from '../../geo/crs-candidates.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Attribute, AttributeType, GeometryField, GeometryType } from '../../geo/schema.ts'
import type { AnyStoreType } from '../../stores/rasters/coverage-types.ts'
import type { LoadMode } from '../../stores/store.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import type { MosaicTask } from './granule-record.ts'
import type { FoundKeys } from './key-proposal.ts'
import type { TaskMending } from './mending.ts'
import type { Accepted, RehearsingTask, TaskTrial } from './rehearsal.ts'
import type { TaskState } from './states.ts'
import type { Stopped, StopRules } from './stop-rules.ts'
import type { TaskLoad } from './task-load.ts'

/** A style document in a file that lies beside the data. */
export interface OwnStyle {
  format: 'sld' | 'qml'
  path: string
}

/** One attribute of what is loaded: renamed where `source` differs, converted where `type` does. */
export interface AttributeChoice {
  name: string
  source: string
  type: AttributeType
}

export interface TaskLayer {
  /** The wanted name; after publication the layer's. */
  name: string
  title: string
  abstract?: string
  description?: string
  originalName: string
  /** The wanted table; after publication the table. */
  nativeName: string
  /** Matched or given authority code. */
  srs?: string
  /** Bounds that the client declared. */
  bounds?: Envelope
  /** What is loaded, where the client chose; otherwise all. */
  attributes?: AttributeChoice[]
  /** Type that the client gave the geometry. */
  geometryType?: GeometryType
  style: string
  /** A style file beside the data, kept as `style` when the layer is published. */
  ownStyle?: OwnStyle
  srsCandidates?: CrsCandidate[]
  /** What was loaded, once it is: columns as they are stored, and the geometry. */
  loaded?: { attributes: LoadedAttribute[]; geometry?: Pick<GeometryField, 'name' | 'type'> }
}

/** A column that was loaded, with what it was called in the data. */
export type LoadedAttribute = Pick<Attribute, 'name' | 'type' | 'source' | 'example' | 'title'>

/** A store named by the client, or found for the task. */
export interface TaskStore {
  workspace: string
  name: string
  type: AnyStoreType
}

interface TaskTransform {
  id: number
  spec: TransformSpec
}

/** The attempt under way. It outlives the process, so that the next start knows what to look for. */
interface TaskRun {
  jobId: number
  /** Times the task was begun in this run. */
  attempt: number
  /** Absent while the task waits for its turn. */
  load?: TaskLoad
}

export interface TaskRecord {
  importId: number
  id: number
  state: TaskState
  sortKey: string
  revision: number
  updatedAt: string
  updateMode: LoadMode
  /** Columns of the table by which rows are matched; an UPSERT needs them. */
  keys?: string[]
  /** Columns that were found to be fit for `keys`. */
  foundKeys?: FoundKeys
  /** Whether an UPSERT deletes rows of the table whose key does not come. */
  deleteMissing?: boolean
  /** What stops a load before its commit. */
  stopIf?: StopRules
  /** Data folder: file ids are paths below it. */
  folder: string
  /** Ours to delete. */
  isUploaded: boolean
  /** Main files: one, or the unread files of a NO_FORMAT task; those of a mosaic stand in a table of their own. */
  files: DataFile[]
  /** The table of the import's database that is read; there are no files then. */
  table?: string
  /** Of a mosaic. */
  mosaic?: MosaicTask
  format?: string
  kind?: 'vector' | 'raster'
  charset?: string
  source?: LayerDescription
  layer?: TaskLayer
  /** The store the client chose; absent: decided by the rules. */
  store?: TaskStore
  /** Where the data go as things stand, or went. */
  target?: TaskStore
  isDirect: boolean
  transforms: TaskTransform[]
  nextTransformId: number
  /** Rejected rows at most: a share up to 1 with `%` before, else a number of rows. */
  rejectLimit?: RejectLimit
  /** Whether invalid polygons are repaired. */
  repair?: boolean
  /** Whether a REPLACE that reads no row may empty its layer. */
  allowEmpty?: boolean
  errorMessage?: string
  /** By what programs tell why it is `ERROR`, where the failure has a code. */
  errorCode?: string
  /** The rules that have stopped the last run. */
  stopped?: Stopped[]
  /** Who let a load through that its rules had stopped. */
  accepted?: Accepted
  messages: Message[]
  rowsRead?: number
  rowsLoaded?: number
  /** Rows that are rejected still. */
  rejected?: number
  /** Rows that were rejected, and were mended and loaded since. */
  mended?: number
  /** Of the mended rows whose load made the list of rejected rows what it is; absent: the task's own. */
  rejectsNumber?: number
  /** Mended rows that were sent last. */
  mending?: TaskMending
  published?: PublishedTask
  run?: TaskRun
  /** A load of an earlier run of which is not known whether it committed; settled before the next one begins. */
  unsettled?: TaskLoad
  /** A rehearsal under way. */
  rehearsing?: RehearsingTask
  /** What the last rehearsal has found and staged, or a load that was stopped. */
  trial?: TaskTrial
}

/** The layer that a task was published as. */
interface PublishedTask {
  layerId: number
  /** The layer's version that came of the task last. */
  version: number
  /** What the client had said of the data, in whose place the layer tells what it has now. */
  declared: Pick<TaskLayer, 'srs' | 'bounds'>
}

/** `rows` at most, or `share` of the rows read but at least one row. */
export type RejectLimit = { rows: number } | { share: number }
