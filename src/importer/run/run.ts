import type { Jobs } from '../../core/jobs/jobs.ts'
import type { DryRunDeps } from '../dry-run/dry-run.ts'
import { dryRunHandler, dryRunJob } from '../dry-run/dry-run.ts'
import type { Restores } from '../restore/restores.ts'
import { restoreJob } from '../restore/restores.ts'
import type { LoadCorrectionsDeps } from './correct-task.ts'
import { correctionHandler, correctionJob } from './correct-task.ts'
import type { PrepareDeps } from './prepare-import.ts'
import { prepareHandler } from './prepare-import.ts'
import { publishEarlierCommits } from './recover-task.ts'
import type { RunDeps } from './run-import.ts'
import { runHandler } from './run-import.ts'
import { prepareJob, runJob } from './start-run.ts'

/** Recovers the work of an earlier process, then runs the jobs of imports. */
export async function startJobs(
  jobs: Jobs,
  {
    preparing,
    running,
    mending: correcting,
    runningDryRun,
    restores,
  }: {
    preparing: PrepareDeps
    running: RunDeps
    mending: LoadCorrectionsDeps
    runningDryRun: DryRunDeps
    restores: Restores
  },
): Promise<void> {
  const { owner, attempt } = running.tasks
  await publishEarlierCommits({ owner, ...attempt, jobs })
  await restores.settleEarlier()
  await jobs.start({
    [prepareJob]: prepareHandler(preparing),
    [runJob]: runHandler(running),
    [correctionJob]: correctionHandler(correcting),
    [dryRunJob]: dryRunHandler(runningDryRun),
    [restoreJob]: restores.handler,
  })
}
export type { LoadCorrectionsDeps } from './correct-task.ts'
export { endCorrection, refuseCorrection, startCorrection } from './correct-task.ts'
export type { MakeDeps } from './make-tasks.ts'
export { makeTasks } from './make-tasks.ts'
export { failPreparation } from './prepare-import.ts'
export type { WaitOptions } from './run-attempts.ts'
export type { StartDeps } from './start-run.ts'
export { prepareJob, startRun, startTask } from './start-run.ts'
