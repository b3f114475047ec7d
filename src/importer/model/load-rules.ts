/**
 * The second door of the model, for what runs in workers: its rules about rows. The first leads to all transformations,
 * whose code a worker reads only for a load that has some.
 */
export { explainStopped } from './explain-stopped.ts'
export { indexBatches, indexSchema } from './granule-index.ts'
export type { MendedPlan, RejectColumns } from './mending.ts'
export { rejectColumns } from './mending.ts'
export type { ColumnChange, Trial, TrialWish } from './rehearsal.ts'
export type { RejectGroup } from './reject-group.ts'
export { findRejectFault } from './reject-limit.ts'
export type { Measured, RuleValue, StopRules, ValueRule } from './stop-rules.ts'
export { asksChanges, findStopped } from './stop-rules.ts'
export { chainOptions, chosenSchema } from './task-layer.ts'
