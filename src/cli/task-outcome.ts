import type { MessageView } from './import-views.ts'
import type { Unit } from './progress-display.ts'

/** What became of one task, or of a whole import that has none. */
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
  /** What an upsert has done with the rows. */
  changes?: RowChanges
  /** All that the server and the command line have to say of it. */
  messages: MessageView[]
  /** Something beside the import was asked for and failed. */
  isFailed?: boolean
}

/** Rows by what an upsert has done with them. */
export interface RowChanges {
  added: number
  changed: number
  removed: number
  unchanged: number
}

/** What the command line has to say of a task, beside what the server says. */
export interface TaskNote {
  /** The task is not run; its state and message are these. */
  left?: { state: string; message: string }
  /** Said once it is complete. */
  messages: MessageView[]
}
