import type { StoreKind } from '../../catalog/records.ts'
import type { Schema } from '../../geo/schema.ts'
import type { Finding, TaskRecord, TaskStore } from '../model/model.ts'

/** What a look at a task comes to. */
export interface Examination {
  finding: Finding
  /** Why it cannot run, for `ERROR`, `BAD_FORMAT` and `NO_FORMAT`. */
  reason?: string
  target?: TaskStore
  isDirect: boolean
}

/** What a look at a task knows of the catalogue. */
export interface ExamineContext {
  workspace: string
  /** The store that the task or its import names. */
  store?: TaskStore & { kind: StoreKind }
  /** The store of the published layer that a REPLACE or APPEND means, where there is one. */
  layerStore?: TaskStore & { kind: StoreKind }
  /** Default data store of the workspace; absent while nobody has needed it. */
  defaultStore?: TaskStore
  /** Whether a transformation of a field that is not there fails at run only. */
  acceptsUnknownFields?: boolean
  /** The schema at the end of the chain; throws when the chain does not fit. */
  chainSchema(task: TaskRecord): Schema
}
