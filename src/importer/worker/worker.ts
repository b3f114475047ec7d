export type { LoadOutcome, LoadPlan, LoadProgress, LoadSource, TriedLoad } from './load-plan.ts'
export type { LoadPool } from './load-pool.ts'
export { createLoadPool } from './load-pool.ts'
export { stageLoad } from './stage-load.ts'
