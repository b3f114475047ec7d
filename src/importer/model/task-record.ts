import type { DataFile, FormatMessage, LayerDescription } from '../../formats/worker.ts'
import type { CrsCandidate } from '../../geo/crs-candidates.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Attribute, AttributeType, GeometryField, GeometryType } from '../../geo/schema.ts'
import type { AnyStoreType, LoadMode } from '../../stores/index.ts'
import type { TransformSpec } from '../../transforms/index.ts'
import type { TaskCorrection } from './correction.ts'
import type { Accepted, RunningDryRun, TaskDryRun } from './dry-run.ts'
import type { MosaicTask } from './granule-record.ts'
import type { TaskState } from './states.ts'
import type { Stopped, StopRules } from './stop-rules.ts'
import type { TaskLoad } from './task-load.ts'

/** A style document in a file next to the data. */
export interface StyleFile {
  format: 'sld' | 'qml'
  path: string
}

/** One loaded attribute: renamed if `source` differs, converted if `type` differs. */
export interface AttributeChoice {
  name: string
  source: string
  type: AttributeType
}

export interface TaskLayer {
  /** The requested name; after publication the name of the layer. */
  name: string
  title: string
  abstract?: string
  description?: string
  originalName: string
  /** The requested table name; after publication the name of the table. */
  nativeName: string
  /** Detected or given authority code. */
  srs?: string
  /** Bounds declared by the client. */
  bounds?: Envelope
  /** Attributes to load, if the client selected some; otherwise all. */
  attributes?: AttributeChoice[]
  /** Geometry type set by the client. */
  geometryType?: GeometryType
  style: string
  /** A style file next to the data, stored as `style` when the layer is published. */
  ownStyle?: StyleFile
  srsCandidates?: CrsCandidate[]
  /** Result of the load: columns as stored, and the geometry; absent before the load. */
  loaded?: { attributes: LoadedAttribute[]; geometry?: Pick<GeometryField, 'name' | 'type'> }
}

/** A loaded column with its name in the data. */
export type LoadedAttribute = Pick<Attribute, 'name' | 'type' | 'source' | 'example' | 'title'>

/** A store named by the client, or chosen for the task. */
export interface TaskStore {
  workspace: string
  name: string
  type: AnyStoreType
}

interface TaskTransform {
  id: number
  spec: TransformSpec
}

/** The attempt in progress. It is stored so that the next process can recover it. */
interface TaskRun {
  jobId: number
  /** Number of attempts in this run. */
  attempt: number
  /** Absent while the task is queued. */
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
  /** Key columns of the table; required for an UPSERT. */
  keys?: string[]
  /** Columns found to be suitable as `keys`. */
  foundKeys?: KeyCandidates
  /** True if an UPSERT deletes table rows whose key is not in the data. */
  deleteMissing?: boolean
  /** Limits that stop a load before its commit. */
  stopIf?: StopRules
  /** Data folder: file ids are paths below it. */
  folder: string
  /** True if the server may delete it. */
  isUploaded: boolean
  /**
   * Main files: one, or the unread files of a NO_FORMAT task. Those of a mosaic are in a table of their own.
   */
  files: DataFile[]
  /** Table of the import's database; there are no files then. */
  table?: string
  /** Mosaic settings; only for mosaics. */
  mosaic?: MosaicTask
  format?: string
  kind?: 'vector' | 'raster'
  charset?: string
  source?: LayerDescription
  layer?: TaskLayer
  /** Store chosen by the client; absent: chosen by the rules. */
  store?: TaskStore
  /** Target store according to the present settings, or the store that was loaded. */
  target?: TaskStore
  isDirect: boolean
  transforms: TaskTransform[]
  nextTransformId: number
  /** Maximum of rejected rows: a share up to 1 if given as a percentage, otherwise a number of rows. */
  rejectLimit?: RejectLimit
  /** True to repair invalid polygons. */
  repair?: boolean
  /** True if a REPLACE that reads no row may empty its layer. */
  allowEmpty?: boolean
  errorMessage?: string
  /** Machine-readable reason for state `ERROR`, if the failure has a code. */
  errorCode?: string
  /** Rules that stopped the last run. */
  stopped?: Stopped[]
  /** User who waived the rules that had stopped a load. */
  accepted?: Accepted
  messages: FormatMessage[]
  rowsRead?: number
  rowsLoaded?: number
  /** Number of rows that are still rejected. */
  rejected?: number
  /** Number of rejected rows that were corrected and loaded since. */
  mended?: number
  /**
   * Sequence number of the correction whose load wrote the present list of rejected rows; absent if the load
   * of the task wrote it.
   */
  rejectsNumber?: number
  /** The latest corrected rows. */
  mending?: TaskCorrection
  published?: PublishedTask
  run?: TaskRun
  /** A load of an earlier run with an unknown commit status; recovered before the next load starts. */
  unsettled?: TaskLoad
  /** A dry run in progress. */
  runningDryRun?: RunningDryRun
  /** Findings and staged rows of the last dry run, or of a load that was stopped. */
  trial?: TaskDryRun
}

/** The layer that a task was published as. */
interface PublishedTask {
  layerId: number
  /** Last layer version that the task created. */
  version: number
  /** Settings declared by the client, which the settings of the published layer replace. */
  declared: Pick<TaskLayer, 'srs' | 'bounds'>
}

/** At most `rows`, or a `share` of the rows read but at least one row. */
export type RejectLimit = { rows: number } | { share: number }

/** A file as described by its format. Plain data: it is passed between threads. */
export interface DescribedFile {
  file: DataFile
  /** Absent if no format reads the file. */
  format?: { name: string; kind: 'vector' | 'raster'; canServeDirectly: boolean }
  layers: LayerDescription[]
  /** True for an unreadable file without content. */
  isEmpty?: boolean
  /** Description of what the content of an unreadable file resembles. */
  looksLike?: string
  /** Why a file of a known format cannot be read, or which program must be installed to read the file. */
  error?: string
}

/** Columns by which an `UPSERT` could match rows, with the evidence. */
export interface KeyProposal {
  kind: 'keys'
  keys: string[]
  /**
   * Numbers of rows read from the data and from the layer; `found`: number of data rows that the layer
   * contains.
   */
  rows: { data: number; layer: number; found: number }
  /** True if these are all rows. */
  exact: boolean
  evidence: string
}

/** The found keys, and a digest that shows whether data, layer and task are still the same. */
export interface KeyCandidates {
  basis: string
  proposals: KeyProposal[]
}

/** Returns the limit of rejected rows: by default 5 % of the rows, at least one; 0 for a REPLACE. */
export function rejectLimitOf(task: { updateMode: string; rejectLimit?: RejectLimit }): RejectLimit {
  return task.rejectLimit ?? (task.updateMode === 'REPLACE' ? { rows: 0 } : { share: 0.05 })
}

/** Returns why there are too many rejected rows, or undefined; rejecting all rows exceeds any limit. */
export function findRejectFault(
  limit: RejectLimit,
  counts: { rowsRead: number; rejected: number },
): string | undefined {
  const { rowsRead, rejected } = counts
  if (rejected > 0 && rejected === rowsRead) return `Every row was rejected: ${rejected} of ${rowsRead}`
  const allowed = 'rows' in limit ? limit.rows : Math.max(1, Math.floor(rowsRead * limit.share))
  if (rejected <= allowed) return undefined
  return `${rejected} of ${rowsRead} rows were rejected, more than the ${allowed} that rejectLimit allows`
}
