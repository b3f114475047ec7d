import type { Catalog } from '../../catalog/index.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import { startDryRun } from '../dry-run/dry-run.ts'
import type { InspectDeps } from '../inspect/inspect.ts'
import { fetchInto } from '../inspect/inspect.ts'
import type { ImportRecord, NewImport, TaskRecord } from '../model/model.ts'
import { additionOf, runnableStates } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import { getImport, listTasks } from '../records/records.ts'
import type { MakeDeps, StartDeps } from '../run/run.ts'
import { startRun } from '../run/run.ts'
import type { ImportLocks, RunningTable } from '../runtime/runtime.ts'
import type { TaskTypes } from '../task-types/task-types.ts'
import type { LoadPool } from '../worker/worker.ts'
import type { Acceptance } from './accept-stopped.ts'
import { acceptStopped } from './accept-stopped.ts'
import { addPath, addUpload, openUpload } from './add-upload.ts'
import type { CancelDeps } from './cancel.ts'
import { cancelImport, cancelTask, dropDryRun, removeImport } from './cancel.ts'
import { createImport } from './create-import.ts'
import { deleteImportFile } from './delete-file.ts'
import { removeGranule, setGranuleTime } from './edit-granules.ts'
import { changeTask, editTransforms, removeTask } from './edit-task.ts'
import { openCorrectionUpload, submitCorrections } from './submit-corrections.ts'

/** Dependencies of the import commands. Each function takes the subset it uses. */
export interface ImportCommandsDeps {
  /** Stored records, the catalogue and the kinds of tasks. */
  base: { records: Keeping; catalog: Catalog; kinds: TaskTypes; pool: LoadPool }
  /** Locks and running work of this process. */
  live: { locks: ImportLocks; running: RunningTable }
  inspecting: InspectDeps
  making: MakeDeps
  starting: StartDeps
  cancel: CancelDeps
}

interface CreateOptions {
  signal: AbortSignal
  isRunAfter: boolean
}

interface RunOptions {
  isAsync: boolean
  signal: AbortSignal
  check?: (record: ImportRecord) => void
}

/** Binds a function to its dependencies. */
function bind<N, A extends unknown[], R>(work: (needs: N, ...rest: A) => R, needs: N): (...rest: A) => R {
  return (...rest) => work(needs, ...rest)
}

/** Creates the commands on imports that clients can call. */
export function createImportCommands({
  base,
  live,
  inspecting,
  making,
  starting,
  cancel,
}: ImportCommandsDeps) {
  const { records } = base
  const { jobs } = starting
  const uploads = { making, inspecting, ...live }
  const edits = { ...base, ...live, locator: making.locator }
  const sending = { ...uploads, starting, catalog: base.catalog }
  return {
    /** Creates an import. A synchronous call returns after the tasks exist or, on request, after the run. */
    create: (newImport: NewImport, options: CreateOptions) =>
      create({ ...base, jobs, inspecting }, newImport, options),
    /** Runs all ready tasks; with `isAsync` it returns after the request is stored. */
    run: async (importId: number, { isAsync, signal, check }: RunOptions): Promise<void> => {
      await requireRoom(base, importId)
      const jobId = await startRun(starting, importId, check)
      if (jobId !== undefined && !isAsync) await jobs.wait(jobId, signal)
    },
    /**
     * Dry run: does what a run does before its commit; with `isAsync` it returns after the request is stored.
     */
    performDryRun: async (importId: number, { isAsync, signal }: RunOptions): Promise<void> => {
      const jobId = await startDryRun(cancel.runningDryRun, importId)
      if (!isAsync) await jobs.wait(jobId, signal)
    },
    /** Accepts a load that its limits have stopped; a synchronous caller waits for its commit. */
    acceptStopped: async (
      { importId, taskId }: { importId: number; taskId: number },
      acceptance: Acceptance,
      { isAsync, signal }: RunOptions,
    ): Promise<void> => {
      const jobId = await acceptStopped(starting, importId, taskId, acceptance)
      if (jobId !== undefined && !isAsync) await jobs.wait(jobId, signal)
    },
    openCorrections: bind(openCorrectionUpload, sending),
    /** Loads corrected rows of a task. A synchronous caller waits for the load. */
    submitCorrections: async (
      place: { importId: number; taskId: number },
      sent: Parameters<typeof submitCorrections>[2],
      { isAsync, signal, check }: Omit<RunOptions, 'check'> & { check(task: TaskRecord): void },
    ): Promise<void> => {
      const jobId = await submitCorrections(sending, place, sent, { signal, check })
      if (!isAsync) await jobs.wait(jobId, signal)
    },
    dropDryRun: bind(dropDryRun, cancel),
    openUpload: bind(openUpload, uploads),
    addUpload: bind(addUpload, uploads),
    addPath: bind(addPath, uploads),
    fetchUpload: bind(fetchUpload, uploads),
    changeTask: bind(changeTask, edits),
    editTransforms: bind(editTransforms, edits),
    removeTask: bind(removeTask, { records, locks: live.locks, runningDryRun: cancel.runningDryRun }),
    deleteFile: bind(deleteImportFile, edits),
    setGranuleTime: bind(setGranuleTime, edits),
    removeGranule: bind(removeGranule, edits),
    cancelTask: bind(cancelTask, cancel),
    cancelImport: bind(cancelImport, cancel),
    removeImport: bind(removeImport, cancel),
  }
}

/**
 * Throws if the tasks of a run would exceed the quota of the workspace. Each task checks the quota again when
 * its load begins.
 */
async function requireRoom(
  { records, catalog }: Pick<ImportCommandsDeps['base'], 'records' | 'catalog'>,
  importId: number,
): Promise<void> {
  const db = records.database.kysely
  const { workspace } = await getImport(db, importId)
  const tasks = (await listTasks(db, importId)).filter(({ state }) => runnableStates.includes(state))
  if (tasks.length > 0) await catalog.quotas.require(workspace, additionOf(tasks))
}

async function create(
  needs: { records: Keeping; catalog: Catalog; jobs: Jobs; inspecting: InspectDeps },
  newImport: NewImport,
  { signal, isRunAfter }: CreateOptions,
): Promise<ImportRecord> {
  const { record, jobId } = await createImport(needs, newImport, isRunAfter)
  if (newImport.isAsync) return record
  if (jobId !== undefined) await needs.jobs.wait(jobId, signal)
  const prepared = await getImport(needs.records.database.kysely, record.id)
  if (isRunAfter && prepared.jobId !== undefined) await needs.jobs.wait(prepared.jobId, signal)
  return prepared
}

export { applyRetention } from './retention.ts'

/** Fetches remote data for an upload request. Deleting or canceling the import stops the fetch. */
async function fetchUpload(
  { inspecting, running }: { inspecting: InspectDeps; running: RunningTable },
  importId: number,
  location: string,
  folder: string,
  outer: AbortSignal,
): Promise<void> {
  await running.duringRequest(importId, outer, (signal) =>
    fetchInto(inspecting, importId, { location }, folder, signal),
  )
}
