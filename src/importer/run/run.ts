import type { Jobs } from '../../jobs/jobs.ts'
import type { RehearseNeeds } from '../rehearse/rehearse.ts'
import { rehearsalHandler, rehearseJob } from '../rehearse/rehearse.ts'
import type { Restores } from '../restore/restores.ts'
import { restoreJob } from '../restore/restores.ts'
import type { MendNeeds } from './mend-task.ts'
import { mendHandler, mendJob } from './mend-task.ts'
import type { PrepareNeeds } from './prepare-import.ts'
import { prepareHandler } from './prepare-import.ts'
import { publishEarlierCommits } from './recover-task.ts'
import type { RunNeeds } from './run-import.ts'
import { runHandler } from './run-import.ts'
import { prepareJob, runJob } from './start-run.ts'

/** Recovers the work of an earlier process, then runs the jobs of imports. */
export async function startJobs(
  jobs: Jobs,
  {
    preparing,
    running,
    mending,
    rehearsing,
    restores,
  }: {
    preparing: PrepareNeeds
    running: RunNeeds
    mending: MendNeeds
    rehearsing: RehearseNeeds
    restores: Restores
  },
): Promise<void> {
  const { owner, attempt } = running.tasks
  await publishEarlierCommits({ owner, ...attempt, jobs })
  await restores.settleEarlier()
  await jobs.start({
    [prepareJob]: prepareHandler(preparing),
    [runJob]: runHandler(running),
    [mendJob]: mendHandler(mending),
    [rehearseJob]: rehearsalHandler(rehearsing),
    [restoreJob]: restores.handler,
  })
}
export type { MakeNeeds } from './make-tasks.ts'
export { makeTasks } from './make-tasks.ts'
export type { MendNeeds } from './mend-task.ts'
export { endMending, refuseMending, startMending } from './mend-task.ts'
export { failPreparation } from './prepare-import.ts'
export type { WaitOptions } from './run-attempts.ts'
export type { StartNeeds } from './start-run.ts'
export { prepareJob, startRun, startTask } from './start-run.ts'
