// Imports and their tasks: inspection, preview, runs, recovery and retention. Does not know HTTP or
// monitoring. Start reading at `importer.ts`.

export type { AppliedEdit, PlannedEdit } from './edit/edits.ts'
export {
  createImporter,
  type Importer,
  type ImporterDeps,
  type ImportSummary,
  parseIsoTime,
  type Running,
  requireMosaicTime,
} from './importer.ts'
export { foundByDryRun } from './model/dry-run.ts'
export { stoppedText } from './model/explain-stopped.ts'
export {
  type AttributeChoice,
  allAttributes,
  correctionStates,
  type DatabaseRequest,
  type DatabaseSource,
  type DryRun,
  dryRunStates,
  type GranuleRecord,
  type ImportNews,
  type ImportRecord,
  type ImportSource,
  type ImportState,
  importStates,
  indexSchema,
  type KeyProposal,
  type LabelsProposal,
  type MosaicTime,
  type NewImport,
  type NumberedNews,
  proposeGeometry,
  proposeLabels,
  type RejectLimit,
  type RemoteRequest,
  type RemoteSource,
  type SourceRequest,
  type StopRules,
  sourceTypes,
  stopRuleNames,
  type TaskChange,
  type TaskLayer,
  type TaskLayerChange,
  type TaskProgress,
  type TaskRecord,
  type TaskStore,
  type TransformProposal,
  taskStates,
  timeModes,
} from './model/model.ts'
export type { UploadState, Uploads } from './uploads/uploads.ts'
export { failedEdit } from './worker/failed-edit.ts'
