import type { DataFile, LayerDescription, Message } from '../../formats/format.ts'
import type { Schema } from '../../geo/schema.ts'
import type { RejectGroup } from './reject-group.ts'
import type { Stopped, StopRules } from './stop-rules.ts'

export const mendingStates = ['RUNNING', 'COMPLETE', 'ERROR', 'CANCELED'] as const
type MendingState = (typeof mendingStates)[number]

/** What became of mended rows that were sent. */
interface MendedRows {
  /** In the file. */
  sent: number
  loaded: number
  /** They are rejected again, for other reasons maybe. */
  rejected: number
  /** They are none of the task's rejected rows, or no longer: nothing was done with them. */
  refused: number
}

/** The file that mended rows came in. */
export interface MendedFile {
  /** Number of the upload that brought it. */
  upload: number
  file: DataFile
  format: string
  layer: LayerDescription
  charset?: string
}

/** Mended rows of a task that were sent last. */
export interface TaskMending {
  /** 1 is the first time that rows were sent. */
  number: number
  state: MendingState
  /** When they were sent; ISO 8601. */
  at: string
  by?: string
  /** Where they are as long as they are loaded. */
  from?: MendedFile
  rows?: MendedRows
  /** Limits of the task that are asked of these rows. */
  stopIf?: StopRules
  /** Which of them stopped the load. */
  stopped?: Stopped[]
  /** Limits that whoever sent them has let through. */
  accepted?: string[]
  /** Why rows are rejected again, or were refused. */
  reasons?: RejectGroup[]
  messages?: Message[]
  errorMessage?: string
  errorCode?: string
}

/** What a load of mended rows comes to, written down before its commit. */
export type MendedLoad = Required<Pick<TaskMending, 'number' | 'rows' | 'reasons' | 'messages'>>

/** What a worker has to know of mended rows. Plain data. */
export interface MendedPlan {
  /** Lists the rows that are rejected so far. */
  rejects: string
  /** Where they are listed as they stand after the load. */
  rejectsAfter: string
  /** The time at which they were sent, for those who ask later; ISO 8601. */
  at: string
  /** What the rows of the task are before its transformations: sent ones are made the same. */
  schema: Schema
  /** Names of columns in the table by those at the end of the chain, where they differ. */
  columns: Record<string, string>
}

/** Columns that rejected rows have besides their own, by what they tell. */
export interface RejectColumns {
  row: string
  code: string
  field: string
  value: string
  reason: string
}

/** Names for the columns of reasons that no attribute has, whatever its case. */
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
