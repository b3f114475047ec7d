// Sources: imports that repeat by a schedule or when files change, and the history of their runs. Uses the
// importer through its entry point; does not know HTTP or monitoring. Start reading at `sources.ts`.

export { type RunRecord, runOutcomes, runTriggers } from './model/run.ts'
export { type SourceData, type SourceSettings, sourceModes } from './model/source.ts'
export { sourceStates } from './model/state.ts'
export { neededRole } from './run/check-owner.ts'
export {
  type NamedProblem,
  type SourceAlerts,
  type SourceInput,
  Sources,
  type SourceView,
} from './sources.ts'
