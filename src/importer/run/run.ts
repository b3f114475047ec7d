import { conflict } from '../../core/errors/errors.ts'
import type { JobHandler, Jobs } from '../../core/jobs/jobs.ts'
import { dryRunHandler, dryRunJob, startDryRun } from '../dry-run/dry-run.ts'
import type { ImportFiles } from '../records/records.ts'
import { restoreJob } from '../restore/restores.ts'
import { correctionHandler, correctionJob } from './correct-task.ts'
import type { CreateJobHandler, JobTypeDeps } from './job-type.ts'
import { prepareHandler } from './prepare-import.ts'
import { publishEarlierCommits } from './recover-task.ts'
import { runHandler } from './run-import.ts'
import { prepareJob, runJob, startRun } from './start-run.ts'

/** The registry: job types by the names that stored jobs have. */
export const jobTypes: Readonly<Record<string, CreateJobHandler>> = {
  [prepareJob]: ({ preparing }) => ({
    ...prepareHandler(preparing),
    ...repeatedBy((id) => startRun(preparing.starting, id)),
  }),
  [runJob]: ({ running, preparing }) => ({
    ...runHandler(running),
    ...repeatedBy((id) => startRun(preparing.starting, id)),
  }),
  [correctionJob]: ({ correcting }) => ({
    ...correctionHandler(correcting),
    ...notRepeatable('send the corrected rows again'),
  }),
  [dryRunJob]: ({ runningDryRun }) => ({
    ...dryRunHandler(runningDryRun),
    ...repeatedBy((id) => startDryRun(runningDryRun, id)),
  }),
  [restoreJob]: ({ restores }) => ({
    ...restores.handler,
    ...notRepeatable('restore the version of the layer again'),
  }),
}

/** A failed job is repeated by the command that starts such work for its import. */
function repeatedBy(start: (importId: number) => Promise<unknown>): Pick<JobHandler, 'repeat'> {
  return {
    repeat: async ({ importId }) => {
      await start(Number(importId))
    },
  }
}

function notRepeatable(remedy: string): Pick<JobHandler, 'repeat'> {
  return {
    repeat: async () => {
      throw conflict('job-not-repeatable', `The job cannot be repeated without its request: ${remedy}`)
    },
  }
}

/** Recovers the work of an earlier process, then runs the jobs of imports. */
export async function startJobs(jobs: Jobs, deps: JobTypeDeps): Promise<void> {
  const { owner, attempt } = deps.running.tasks
  await publishEarlierCommits({ owner, ...attempt, jobs })
  await deps.restores.settleEarlier()
  const { files } = deps.running.records
  const handlers = Object.entries(jobTypes).map(
    ([name, create]) => [name, withFiles(files, create(deps))] as const,
  )
  await jobs.start(Object.fromEntries(handlers))
}
/** Gives a job of an import local copies of its files, and stores what the job wrote. */
function withFiles(files: ImportFiles, handler: JobHandler): JobHandler {
  return {
    ...handler,
    run: (payload, context) => {
      const { importId } = payload
      const work = (): Promise<void> => handler.run(payload, context)
      return typeof importId === 'number' ? files.writing(importId, work) : work()
    },
  }
}

export type { LoadCorrectionsDeps } from './correct-task.ts'
export { endCorrection, refuseCorrection, startCorrection } from './correct-task.ts'
export type { MakeDeps } from './make-tasks.ts'
export { makeTasks } from './make-tasks.ts'
export { failPreparation } from './prepare-import.ts'
export type { WaitOptions } from './run-attempts.ts'
export type { StartDeps } from './start-run.ts'
export { prepareJob, startRun, startTask } from './start-run.ts'
