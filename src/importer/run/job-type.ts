import type { JobHandler } from '../../core/jobs/jobs.ts'
import type { DryRunDeps } from '../dry-run/dry-run.ts'
import type { Restores } from '../restore/restores.ts'
import type { LoadCorrectionsDeps } from './correct-task.ts'
import type { PrepareDeps } from './prepare-import.ts'
import type { RunDeps } from './run-import.ts'

/** Dependencies of the job types; each takes its subset. */
export interface JobTypeDeps {
  preparing: PrepareDeps
  running: RunDeps
  correcting: LoadCorrectionsDeps
  runningDryRun: DryRunDeps
  restores: Restores
}

/** Creates the handler of a job type. */
export type CreateJobHandler = (deps: JobTypeDeps) => JobHandler
