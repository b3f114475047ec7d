import type { Jobs } from '../jobs/jobs.ts'
import { WorkQueue } from '../lib/workers/work-queue.ts'
import { addPath, addUpload, openUpload } from './desk/add-upload.ts'
import { cancelImport, cancelTask, removeImport } from './desk/cancel.ts'
import { createImport, prepareJob } from './desk/create-import.ts'
import { deleteImportFile } from './desk/delete-file.ts'
import { changeTask, editTransforms, removeTask } from './desk/edit-task.ts'
import { applyRetention } from './desk/retention.ts'
import { removeGranule, setGranuleTime } from './kinds/mosaic/edit-granules.ts'
import {
  hearCancellations,
  ImportLocks,
  NameReservations,
  ProgressBoard,
  RunningTable,
  shareNews,
  tellEnded,
} from './live/live.ts'
import { fetchUpload } from './look/remote-data.ts'
import type { ImportRecord, NewImport, OwnStyle } from './model/model.ts'
import type { ImporterParts } from './parts.ts'
import { readOwnStyle } from './publish/own-style.ts'
import { getImport, KeptImports } from './records/records.ts'
import { prepareHandler } from './run/prepare-import.ts'
import { publishEarlierCommits } from './run/recover-load.ts'
import { runHandler } from './run/run-import.ts'
import { runJob, startRun } from './run/start-run.ts'
import { createLoadPool } from './worker/worker.ts'

export type ImporterNeeds = Omit<
  ImporterParts,
  'pool' | 'toolTurns' | 'locks' | 'progress' | 'running' | 'names' | 'jobs'
> & {
  jobs: Jobs
}

const retentionMs = 3_600_000
/** One idle worker answers a small import at once; more are made when they are needed. */
const warmWorkers = 1

/** Imports and their tasks: everything a client can ask of them. */
export class Importer {
  readonly parts: ImporterParts
  #endedCount = 0
  #retention: NodeJS.Timeout | undefined

  constructor(needs: ImporterNeeds) {
    const { concurrentLoads, silenceSeconds } = needs.limits
    this.parts = {
      ...needs,
      pool: createLoadPool({
        concurrency: concurrentLoads,
        warm: Math.min(warmWorkers, concurrentLoads),
        ownFolder: needs.folders.stores,
        silenceMs: silenceSeconds * 1000,
        onEnd: (error) => tellEnded(needs, 'load', error),
      }),
      toolTurns: new WorkQueue({ limit: concurrentLoads }),
      locks: new ImportLocks(),
      progress: new ProgressBoard(needs.clock.now().getTime()),
      running: new RunningTable(),
      names: new NameReservations(),
    }
    needs.events.on('work.ended', () => {
      this.#endedCount += 1
    })
    shareNews(this.parts)
    hearCancellations(this.parts)
  }

  /** Takes up what an earlier process left, then works. */
  async start(): Promise<void> {
    await publishEarlierCommits(this.parts)
    await this.parts.jobs.start({
      [prepareJob]: prepareHandler(this.parts),
      [runJob]: runHandler(this.parts),
    })
    this.#retention = setInterval(() => this.#clean(), retentionMs).unref()
    this.#clean()
  }

  /** Lets running loads end or interrupts them for the next start; ends within 10 seconds. */
  async stop(): Promise<void> {
    clearInterval(this.#retention)
    await this.parts.jobs.stop()
    await this.parts.pool.close()
  }

  /** Creates an import; a synchronous one has its tasks, or has been run, when this returns. */
  async create(
    wanted: NewImport,
    options: { signal: AbortSignal; isRunAfter: boolean },
  ): Promise<ImportRecord> {
    const { record, jobId } = await createImport(this.parts, wanted, options.isRunAfter)
    if (wanted.isAsync) return record
    if (jobId !== undefined) await this.parts.jobs.wait(jobId, options.signal)
    const prepared = await getImport(this.parts.database.kysely, record.id)
    if (options.isRunAfter && prepared.jobId !== undefined) {
      await this.parts.jobs.wait(prepared.jobId, options.signal)
    }
    return prepared
  }

  /** Runs what can be run; with `isAsync` it returns when that has been written down. */
  async run(
    importId: number,
    options: { isAsync: boolean; signal: AbortSignal; check?: (record: ImportRecord) => void },
  ): Promise<void> {
    const jobId = await startRun(this.parts, importId, options.check)
    if (jobId !== undefined && !options.isAsync) await this.parts.jobs.wait(jobId, options.signal)
  }

  /** What is under way and waits, and how much was ended from outside or died since the start. */
  workload(): { running: number; queued: number; ended: number } {
    const { pool, toolTurns } = this.parts
    const { running, queued } = pool.counts()
    return {
      running: running + toolTurns.running,
      queued: queued + toolTurns.waiting,
      ended: this.#endedCount,
    }
  }

  /** What is kept, to be read. */
  get kept(): KeptImports {
    return new KeptImports(this.parts.database, this.parts.folders)
  }

  /** How far things are, for those who watch. */
  get progress(): ProgressBoard {
    return this.parts.progress
  }

  /** The password of the database that an import reads. */
  databasePassword({ source }: ImportRecord): string | undefined {
    const { sealedPassword } = source?.database ?? {}
    return sealedPassword === undefined ? undefined : this.parts.vault.open(sealedPassword)
  }

  /** The style document that came with a task's data. */
  readOwnStyle(style: OwnStyle): Promise<string> {
    return readOwnStyle(style)
  }

  /** Folders whose files layers may be served from. */
  get servedFolders(): string[] {
    return [...this.parts.roots, this.parts.folders.stores]
  }

  readonly openUpload = (importId: number) => openUpload(this.parts, importId)
  readonly addUpload = (importId: number, folder: string, options: Parameters<typeof addUpload>[3]) =>
    addUpload(this.parts, importId, folder, options)
  readonly addPath = (importId: number, path: string, signal: AbortSignal) =>
    addPath(this.parts, importId, path, signal)
  readonly fetchUpload = (...args: Tail<typeof fetchUpload>) => fetchUpload(this.parts, ...args)
  readonly changeTask = (...args: Tail<typeof changeTask>) => changeTask(this.parts, ...args)
  readonly editTransforms = (...args: Tail<typeof editTransforms>) => editTransforms(this.parts, ...args)
  readonly removeTask = (...args: Tail<typeof removeTask>) => removeTask(this.parts, ...args)
  readonly deleteFile = (...args: Tail<typeof deleteImportFile>) => deleteImportFile(this.parts, ...args)
  readonly setGranuleTime = (...args: Tail<typeof setGranuleTime>) => setGranuleTime(this.parts, ...args)
  readonly removeGranule = (...args: Tail<typeof removeGranule>) => removeGranule(this.parts, ...args)
  readonly cancelTask = (...args: Tail<typeof cancelTask>) => cancelTask(this.parts, ...args)
  readonly cancelImport = (...args: Tail<typeof cancelImport>) => cancelImport(this.parts, ...args)
  readonly removeImport = (...args: Tail<typeof removeImport>) => removeImport(this.parts, ...args)

  #clean(): void {
    applyRetention(this.parts).catch((error: unknown) =>
      this.parts.log.error({ err: error }, 'old imports could not be removed'),
    )
  }
}

type Tail<F> = F extends (parts: ImporterParts, ...rest: infer R) => unknown ? R : never

export { parseIsoTime, requireMosaicTime } from './kinds/mosaic/granule-times.ts'
