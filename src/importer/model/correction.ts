import type { DataFile, FormatMessage, LayerDescription } from '../../formats/worker.ts'
import type { Schema } from '../../geo/schema.ts'
import type { Stopped, StopRules } from './stop-rules.ts'

export const correctionStates = ['RUNNING', 'COMPLETE', 'ERROR', 'CANCELED'] as const
type CorrectionState = (typeof correctionStates)[number]

/** Result of corrected rows. */
interface CorrectionCounts {
  /** Number of rows in the file. */
  sent: number
  loaded: number
  /** Number of rows rejected again, possibly for other reasons. */
  rejected: number
  /** Number of rows that are not, or no longer, rejected rows of the task; they are ignored. */
  refused: number
}

/** The uploaded file of corrected rows. */
export interface CorrectionFile {
  /** Number of the upload. */
  upload: number
  file: DataFile
  format: string
  layer: LayerDescription
  charset?: string
}

/** The latest corrected rows of a task. */
export interface TaskCorrection {
  /** Sequence number, from 1. */
  number: number
  state: CorrectionState
  /** Time of the upload, ISO 8601. */
  at: string
  by?: string
  /** Location of the rows while they are loaded. */
  from?: CorrectionFile
  rows?: CorrectionCounts
  /** Limits of the task that apply to these rows. */
  stopIf?: StopRules
  /** Limits that stopped the load. */
  stopped?: Stopped[]
  /** Limits that the sender of the rows has waived. */
  accepted?: string[]
  /** Why rows were rejected again, or refused. */
  reasons?: RejectGroup[]
  messages?: FormatMessage[]
  errorMessage?: string
  errorCode?: string
}

/** Result of a load of corrected rows, stored before its commit. */
export type CorrectionLoad = Required<Pick<TaskCorrection, 'number' | 'rows' | 'reasons' | 'messages'>>

/** Input of a worker that loads corrected rows. Plain data. */
export interface CorrectionPlan {
  /** Path of the list of rows rejected so far. */
  rejects: string
  /** Path of the list of rejected rows as it is after the load. */
  rejectsAfter: string
  /** Time of the upload, ISO 8601. */
  at: string
  /** Schema of the rows of the task before its transformations; the corrected rows are converted to it. */
  schema: Schema
  /** Column names in the table by those at the end of the chain, where they differ. */
  columns: Record<string, string>
}

/** Names of the columns that lists of rejected rows have in addition to the data, by meaning. */
export interface RejectColumns {
  row: string
  code: string
  field: string
  value: string
  reason: string
}

/** Returns names for the reason columns that no attribute has, ignoring case. */
export function rejectColumns({ attributes, geometry }: Schema): RejectColumns {
  const taken = new Set([...attributes.map(({ name }) => name), geometry?.name ?? ''].map(fold))
  const names = (prefix: string) => ({
    row: `${prefix}row`,
    code: `${prefix}code`,
    field: `${prefix}field`,
    value: `${prefix}value`,
    reason: `${prefix}reason`,
  })
  let prefix = '_'
  while (Object.values(names(prefix)).some((name) => taken.has(fold(name)))) prefix += '_'
  return names(prefix)
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Rejected rows with the same reason. */
export interface RejectGroup {
  code: string
  field?: string
  reason: string
  count: number
  /** Examples: number, values and geometry as read. */
  rows: object[]
}
