import type { StopRules } from '../../importer/index.ts'
import type { SourceMemory } from './source.ts'

/** Causes of a run: `person` is a page, `api` a program. */
export const runTriggers = ['schedule', 'file', 'person', 'api'] as const
export type RunTrigger = (typeof runTriggers)[number]

export const runOutcomes = ['loaded', 'unchanged', 'stopped', 'failed', 'skipped'] as const
export type RunOutcome = (typeof runOutcomes)[number]

/** Changes to a layer; `changed` is null if rows were compared without keys. */
export interface RunChanges {
  added: number
  changed: number | null
  removed: number
}

/** A layer that a run has loaded. */
export interface LoadedLayer {
  /** `workspace:layer` */
  layer: string
  version: number
}

/** A rule that stopped a run: one of `stopIf`, or `edited` for a layer that someone else has changed. */
export interface StoppedRule {
  rule: keyof StopRules | 'edited'
  limit: unknown
  measured: unknown
  /** Task of the import; absent for `edited`. */
  task?: number
}

/** Details of a run. */
export interface RunDetails {
  importId?: number
  /** True once the import was started: its state then decides the outcome. */
  isStarted?: boolean
  /** True if changes of others to the layer are accepted. */
  acceptsEdits?: boolean
  /** True if a deleted layer is created again. */
  recreates?: boolean
  /** True to read everything from a source that reads increments. */
  isComplete?: boolean
  /** Values that the source remembers if the run succeeds. */
  pending?: Pick<SourceMemory, 'fingerprint' | 'newest' | 'partialRuns'>
  /** True if only changed features were read. */
  isPartial?: boolean
  /** Files that are the same as in the last run. */
  unchangedFiles?: string[]
  rows?: number
  changes?: RunChanges
  layers?: LoadedLayer[]
  stopped?: StoppedRule[]
  acceptedBy?: string
  code?: string
  message?: string
  /** Details that do not concern the outcome. */
  notes?: string[]
}

export interface RunRecord extends RunDetails {
  id: number
  sourceId: number
  trigger: RunTrigger
  dueAt: string
  notBefore: string
  startedAt?: string
  endedAt?: string
  outcome?: RunOutcome
  attempts: number
  leaseOwner?: string
}

/** Result of a run. */
export interface RunEnd extends RunDetails {
  outcome: RunOutcome
}
