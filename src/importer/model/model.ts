export { importAfter, taskAfter } from './after-event.ts'
export { crsOfSource, withDeclaredCrs } from './declared-crs.ts'
export type { DescribedFile } from './described-file.ts'
export { isMending, mendingEnded } from './end-mending.ts'
export { explainStopped } from './explain-stopped.ts'
export type { IndexRow } from './granule-index.ts'
export { indexSchema } from './granule-index.ts'
export type { Corners, GranuleFault, GranuleRecord, MosaicTask, MosaicTime } from './granule-record.ts'
export { timeModes } from './granule-record.ts'
export type { DatabaseSource, ImportRecord, ImportSource, RemoteSource } from './import-record.ts'
export { sourceTypes, withoutPassword } from './import-record.ts'
export type { FoundKeys, KeyProposal } from './key-proposal.ts'
export type { MendedFile, MendedLoad, MendedPlan, TaskMending } from './mending.ts'
export { mendingStates, rejectColumns } from './mending.ts'
export type { ImportNews, NumberedNews, TaskProgress } from './news.ts'
export { now } from './now.ts'
export type { TransformProposal } from './propose-geometry.ts'
export { proposeGeometry } from './propose-geometry.ts'
export type { LabelsProposal } from './propose-labels.ts'
export { proposeLabels } from './propose-labels.ts'
export type {
  LaidBy,
  RehearsalState,
  TaskTrial,
  Trial,
  TrialBasis,
  TrialWish,
} from './rehearsal.ts'
export { rehearsalStates } from './rehearsal.ts'
export { findRejectFault, rejectLimitOf } from './reject-limit.ts'
export type {
  LayerChange,
  NewImport,
  TaskChange,
  WantedDatabase,
  WantedRemote,
  WantedSource,
} from './requests.ts'
export type { Finding, ImportEvent, ImportState, TaskState } from './states.ts'
export { importStates, runnableStates, taskStates } from './states.ts'
export type { Stopped, StopRules } from './stop-rules.ts'
export { rulesOfMended, stopRuleNames } from './stop-rules.ts'
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
  OwnStyle,
  RejectLimit,
  TaskLayer,
  TaskRecord,
  TaskStore,
} from './task-record.ts'
export { finalSchema, transformsOf } from './task-schema.ts'
export { isWithoutGeometry, toldWithoutGeometry, withoutGeometry } from './without-geometry.ts'
