// Sources: imports that repeat by a schedule or when files change, and the history of their runs. Uses the
// importer through its entry point; does not know HTTP or monitoring. Start reading at `sources.ts`.

export {
  type LoadedLayer,
  type RunChanges,
  type RunRecord,
  runOutcomes,
  runTriggers,
  type StoppedRule,
} from './model/run.ts'
export {
  pathTypes,
  type SourceData,
  type SourceMode,
  type SourceRecord,
  type SourceSettings,
  sourceModes,
} from './model/source.ts'
export { type SourceState, sourceStates } from './model/state.ts'
export { neededRole } from './run/check-owner.ts'
export { isCron, type Schedule } from './schedule/schedule.ts'
export {
  type NamedProblem,
  type SourceAlerts,
  type SourceInput,
  Sources,
  type SourceView,
} from './sources.ts'
