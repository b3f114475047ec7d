import type { MessageView } from './import-views.ts'
import type { Unit } from './progress-display.ts'

/** Outcome of one task, or of a whole import without tasks. */
export interface TaskOutcome {
  file: string
  layer: string
  state: string
  /** Rows, or bytes of a raster. */
  loaded: number
  unit: Unit
  rejected: number
  seconds: number
  message: string
  /** Row changes of an upsert. */
  changes?: RowChanges
  /** All messages of the server and the command line about it. */
  messages: MessageView[]
  /** True if something requested in addition to the import has failed. */
  isFailed?: boolean
}

/** Numbers of rows by the change of an upsert. */
export interface RowChanges {
  added: number
  changed: number
  removed: number
  unchanged: number
}

/** Notes of the command line about a task, in addition to those of the server. */
export interface TaskNote {
  /** Set if the task is not run: its state and message. */
  left?: { state: string; message: string }
  /** Messages to show once it is complete. */
  messages: MessageView[]
}
