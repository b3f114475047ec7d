import type { FeatureBatch } from '../geo/batch.ts'
import type { Envelope } from '../geo/envelope.ts'
import type { Schema } from '../geo/schema.ts'

/** Description of a table of a store. */
export interface TableDescription {
  name: string
  schema: Schema
  /** The column that identifies a feature, if any. */
  primaryKey?: string
  featureCount?: number
  envelope?: Envelope
}

/** A retained state of a table. Plain data, stored in records. */
export interface TableSnapshot {
  /** Id within the store; assigned by the caller that requested retention. */
  id: string
  /** `whole`: all rows. `difference`: changes to undo in the state that followed. */
  form: 'whole' | 'difference'
  /** Description of the former table, with its row count. */
  table: TableDescription
  /** Approximate size in the store. */
  sizeBytes: number
  /** Store-specific data. */
  detail: Record<string, string | number | boolean | null>
}

/** Why a state could not be retained, as a text for users. */
export interface NotRetained {
  reason: string
}

/**
 * A batch with the text ids of its features, in row order; `isKeyed`: a later query may continue after an id.
 */
export interface FeaturePage {
  batch: FeatureBatch
  ids: string[]
  isKeyed?: boolean
}
