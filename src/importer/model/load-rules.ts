/**
 * Second entry point of the model, for code in workers: the rules about rows. The first entry point imports
 * all transformations, whose code a worker loads only for a load that uses some.
 */

export type { CorrectionPlan, RejectColumns, RejectGroup } from './correction.ts'
export { rejectColumns } from './correction.ts'
export type { ColumnChange, DryRun, DryRunOptions } from './dry-run.ts'
export { explainStopped } from './explain-stopped.ts'
export { indexBatches, indexSchema } from './granule-index.ts'
export type { Measured, RuleValue, StopRules, ValueRule } from './stop-rules.ts'
export { asksChanges, findStopped } from './stop-rules.ts'
export { chainOptions, chosenSchema } from './task-layer.ts'
export { findRejectFault } from './task-record.ts'
