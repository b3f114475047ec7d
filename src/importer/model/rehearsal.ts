import type { Message } from '../../formats/format.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { ChangeCounts, SparedRows } from '../../stores/changes.ts'
import type { RejectGroup } from './reject-group.ts'
import type { ImportState, TaskState } from './states.ts'
import type { Stopped, StopRules } from './stop-rules.ts'
import type { TaskLoad } from './task-load.ts'

export const rehearsalStates = ['RUNNING', 'COMPLETE', 'COMPLETE_ERROR', 'CANCELED'] as const
export type RehearsalState = (typeof rehearsalStates)[number]

/** What an import keeps of its rehearsal; what was found stands on its tasks. */
export interface ImportRehearsal {
  state: RehearsalState
  /** The job that does it. */
  jobId: number
  /** What the import was before, and is afterwards. */
  before: ImportState
  /** ISO 8601: when what is kept goes, unless it was used before. */
  expires?: string
}

/** How a column of the target differs from what is loaded into it. */
export interface ColumnChange {
  name: string
  change: 'gained' | 'lost' | 'type'
  from?: string
  to?: string
}

/** What was found by staging a load and looking at it. Plain data: it crosses threads and is recorded. */
export interface Trial {
  rows: { read: number; load: number; rejected: number }
  /** Absent where nothing was compared. */
  changes?: ChangeCounts & { matchedBy: string[] }
  /** Changes that are listed one by one. */
  listed?: number
  columns: ColumnChange[]
  geometry?: { empty: number; invalid: number; repaired: number }
  crs?: CrsDeclaration
  bounds?: Envelope
  rejects: RejectGroup[]
  stopped: Stopped[]
  notTried: string[]
  messages: Message[]
}

/** What a run needs to go on with rows that were staged before. */
export interface LaidBy {
  /** What the store wants to be told. */
  text: string
  schema: Schema
  indexes: string[]
  rowsRead: number
  /** Of an UPSERT that deletes what does not come, where rows were rejected. */
  spared?: SparedRows
  /** What the staged rows take, about. */
  sizeBytes: number
}

/** By what it is seen that a run would stage the same again. */
export interface TrialBasis {
  /** Of what the task asks for. */
  wish: string
  /** Of the source's files; absent where nobody can tell. */
  source?: string
  /** Of the table that is loaded into. */
  target: string
}

/** A rehearsal of one task, or a load that its limits have stopped. */
export interface TaskTrial {
  /** When it was done; ISO 8601. */
  at: string
  /** Where it was staged; absent where nothing was. */
  load?: TaskLoad
  /** Absent while it is under way, and where nothing can be taken up. */
  laidBy?: LaidBy
  basis?: TrialBasis
  found?: Trial
  mode: string
  target?: { layer: string; version: number | null }
}

/** A person's word that a stopped load is as it should be. */
export interface Accepted {
  /** The load that it lets through, and no other. */
  loadId: string
  /** By which it is known when a server died in it and it is staged anew. */
  basis?: TrialBasis
  stopped: string[]
  by: string
  at: string
}

/** A task in a rehearsal that is under way. */
export interface RehearsingTask {
  jobId: number
  /** What the task was before, and is afterwards. */
  before: TaskState
}

/** What a load is tried out for. Plain data: it crosses threads. */
export interface TrialWish {
  /** It ends when the rows are staged and looked at. */
  isRehearsal: boolean
  keys?: string[]
  stopIf?: StopRules
  /** Rules that do not stop it. */
  accepted: string[]
  /** Where changes are listed; absent: nowhere. */
  changesPath?: string
  /** The CRS of the layer that is loaded into, and of the data before they go there. */
  crs?: { from?: string; to?: string }
}
