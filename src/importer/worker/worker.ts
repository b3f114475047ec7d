export type { EditOutcome, FeatureEditRequest, FeatureOutcome } from './edit-features.ts'
export { withEdit } from './failed-edit.ts'
export type {
  CorrectionOutcome,
  LoadOutcome,
  LoadPlan,
  LoadProgress,
  LoadSource,
  TriedLoad,
} from './load-plan.ts'
export type { LoadPool } from './load-pool.ts'
export { createLoadPool } from './load-pool.ts'
export { stageTaskLoad } from './stage-load.ts'
export { needsOwnProcess } from './trusted-files.ts'
export type { RowsForm, RowsPart, TaskRowsRequest } from './write-rows.ts'
