import type { FormatMessage } from '../../formats/worker.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { ChangeCounts, SparedRows } from '../../stores/index.ts'
import type { RejectGroup } from './correction.ts'
import type { ImportState, TaskState } from './states.ts'
import type { Stopped, StopRules } from './stop-rules.ts'
import type { TaskLoad } from './task-load.ts'

export const dryRunStates = ['RUNNING', 'COMPLETE', 'COMPLETE_ERROR', 'CANCELED'] as const
export type DryRunState = (typeof dryRunStates)[number]

/** Dry run record of an import; the results are stored on its tasks. */
export interface ImportDryRun {
  state: DryRunState
  /** Job of the dry run. */
  jobId: number
  /** State of the import before the dry run, restored afterwards. */
  before: ImportState
  /** Time when retained data are removed unless used before, ISO 8601. */
  expires?: string
}

/** Difference between a column of the target and the loaded column. */
export interface ColumnChange {
  name: string
  change: 'gained' | 'lost' | 'type'
  from?: string
  to?: string
}

/** Findings from staging a load. Plain data: it is passed between threads and stored. */
export interface DryRun {
  rows: { read: number; load: number; rejected: number }
  /** Absent if nothing was compared. */
  changes?: ChangeCounts & { matchedBy: string[] }
  /** Number of changes that are listed individually. */
  listed?: number
  columns: ColumnChange[]
  geometry?: { empty: number; invalid: number; repaired: number }
  crs?: CrsDeclaration
  bounds?: Envelope
  rejects: RejectGroup[]
  stopped: Stopped[]
  notTried: string[]
  messages: FormatMessage[]
}

/** Data that a run needs to reuse staged rows. */
export interface RetainedRows {
  /** Store-specific token of the staged rows. */
  text: string
  schema: Schema
  indexes: string[]
  rowsRead: number
  /** Rows that an UPSERT with deletion would delete but retains, because rows were rejected. */
  spared?: SparedRows
  /** Approximate size of the staged rows. */
  sizeBytes: number
}

/** Shows whether a run would stage the same rows again. */
export interface DryRunBasis {
  /** Digest of the options of the task. */
  wish: string
  /** Digest of the files of the source; absent if it cannot be determined. */
  source?: string
  /** Digest of the target table. */
  target: string
}

/** A dry run of one task, or a load that was stopped by its limits. */
export interface TaskDryRun {
  /** Time of the dry run, ISO 8601. */
  at: string
  /** Load of the staged rows; absent if nothing was staged. */
  load?: TaskLoad
  /** Absent while the dry run is in progress, and if nothing can be reused. */
  laidBy?: RetainedRows
  basis?: DryRunBasis
  found?: DryRun
  mode: string
  target?: { layer: string; version: number | null }
}

/** Returns the findings of the last dry run of a task; undefined without one. */
export function foundByDryRun({ trial: dryRun }: { trial?: TaskDryRun }): DryRun | undefined {
  return dryRun?.found
}

/** A waiver for a stopped load, by a user. */
export interface Accepted {
  /** The accepted load. */
  loadId: string
  /** Identifies the same load when it is staged again after a server crash. */
  basis?: DryRunBasis
  stopped: string[]
  by: string
  at: string
}

/** A task during a dry run. */
export interface RunningDryRun {
  jobId: number
  /** State of the task before the dry run, restored afterwards. */
  before: TaskState
}

/** Options of a load that is measured before its commit. Plain data: it is passed between threads. */
export interface DryRunOptions {
  /** True if the load ends after the rows are staged and measured. */
  isDryRun: boolean
  keys?: string[]
  stopIf?: StopRules
  /** Rules that are waived. */
  accepted: string[]
  /** Path for the list of changes; absent: no list. */
  changesPath?: string
  /** CRS of the target layer, and of the data before reprojection. */
  crs?: { from?: string; to?: string }
}
