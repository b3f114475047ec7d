export type { EditOutcome, EditWish } from './edit-feature.ts'
export type {
  LoadOutcome,
  LoadPlan,
  LoadProgress,
  LoadSource,
  MendedOutcome,
  TriedLoad,
} from './load-plan.ts'
export type { LoadPool } from './load-pool.ts'
export { createLoadPool } from './load-pool.ts'
export { stageLoad } from './stage-load.ts'
export { needsOwnProcess } from './trusted-files.ts'
export type { RowsForm, RowsPart, RowsWish } from './write-rows.ts'
