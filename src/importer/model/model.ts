export { now } from '../../core/time/clock.ts'
export { correctionEnded, importAfter, isCorrecting, taskAfter } from './after-event.ts'
export type { CorrectionFile, CorrectionLoad, CorrectionPlan, TaskCorrection } from './correction.ts'
export { correctionStates, rejectColumns } from './correction.ts'
export { crsOfSource, withDeclaredCrs } from './declared-crs.ts'
export type {
  DryRun,
  DryRunBasis,
  DryRunOptions,
  DryRunState,
  RetainedRows,
  TaskDryRun,
} from './dry-run.ts'
export { dryRunStates } from './dry-run.ts'
export { explainStopped } from './explain-stopped.ts'
export type { IndexRow } from './granule-index.ts'
export { indexBatches, indexSchema } from './granule-index.ts'
export type { Corners, GranuleFault, GranuleRecord, MosaicTask, MosaicTime } from './granule-record.ts'
export { timeModes } from './granule-record.ts'
export type { DatabaseSource, ImportRecord, ImportSource, RemoteSource } from './import-record.ts'
export { sourceTypes, withoutPassword } from './import-record.ts'
export type { ImportNews, NumberedNews, TaskProgress } from './news.ts'
export type { TransformProposal } from './propose-geometry.ts'
export { proposeGeometry } from './propose-geometry.ts'
export type { LabelsProposal } from './propose-labels.ts'
export { proposeLabels } from './propose-labels.ts'
export { additionOf } from './quota-addition.ts'
export type {
  DatabaseRequest,
  NewImport,
  RemoteRequest,
  SourceRequest,
  TaskChange,
  TaskLayerChange,
} from './requests.ts'
export type { Finding, ImportEvent, ImportState, TaskState } from './states.ts'
export { importStates, runnableStates, taskStates } from './states.ts'
export type { Stopped, StopRules } from './stop-rules.ts'
export { rulesOfCorrections, stopRuleNames } from './stop-rules.ts'
export {
  allAttributes,
  chainOptions,
  chosenSchema,
  declaredLayer,
  identityColumn,
  isLoadedWhole,
  loadedLayer,
  proposeLayer,
  sourceSchema,
  titledSchema,
} from './task-layer.ts'
export type { TaskLoad } from './task-load.ts'
export type {
  AttributeChoice,
  DescribedFile,
  KeyCandidates,
  KeyProposal,
  RejectLimit,
  StyleFile,
  TaskLayer,
  TaskRecord,
  TaskStore,
} from './task-record.ts'
export { findRejectFault, rejectLimitOf } from './task-record.ts'
export { finalSchema, transformsOf } from './task-schema.ts'
export { isWithoutGeometry, withoutGeometry, withoutGeometryCode } from './without-geometry.ts'
