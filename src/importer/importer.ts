import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Permit } from '../access/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { Broadcast } from '../core/db/broadcast.ts'
import type { Database } from '../core/db/connection.ts'
import type { EventBus } from '../core/events/events.ts'
import { readLocal } from '../core/file-store/folder-store.ts'
import type { Mirror } from '../core/file-store/mirror.ts'
import type { StoredFiles } from '../core/file-store/stored-files.ts'
import type { JobHandler, Jobs } from '../core/jobs/jobs.ts'
import { maintenanceLane } from '../core/jobs/jobs.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Vault } from '../core/secrets/vault.ts'
import type { Clock } from '../core/time/clock.ts'
import { WorkQueue } from '../core/workers/work-queue.ts'
import type { RemoteAccess, SourceLimits } from '../inputs/index.ts'
import type { SideTables } from '../render/index.ts'
import type { IndexMaker } from '../stores/index.ts'
import { applyRetention, createImportCommands } from './commands/import-commands.ts'
import { CrsDetector } from './detect-crs/detect-crs.ts'
import { ListedChanges } from './dry-run/dry-run.ts'
import { Edits } from './edit/edits.ts'
import { openedConnection, tablesFinder } from './inspect/inspect.ts'
import { KeyFinder } from './keys/keys.ts'
import type { ImportRecord, StyleFile } from './model/model.ts'
import { Previews } from './preview/preview.ts'
import { readOwnStyle } from './publish/publish.ts'
import { ImportFiles, StoredImports } from './records/records.ts'
import { RejectedRows } from './rejects/rejects.ts'
import type { VersionKeeping } from './restore/keep-versions.ts'
import { keepVersions, pruneInTurn } from './restore/keep-versions.ts'
import { Restores } from './restore/restores.ts'
import type { WaitOptions } from './run/run.ts'
import { startJobs } from './run/run.ts'
import {
  hearCancellations,
  ImportLocks,
  NameReservations,
  ProgressBoard,
  publishEnded,
  RunningTable,
  shareNews,
} from './runtime/runtime.ts'
import type { ToolLimits } from './task-types/task-types.ts'
import { FolderMosaics, TaskTypes } from './task-types/task-types.ts'
import { ResumableUploads, StoredUploads, type Uploads } from './uploads/uploads.ts'
import type { LoadPool } from './worker/worker.ts'
import { createLoadPool } from './worker/worker.ts'

export type { ImportSummary } from './records/records.ts'
export type { Running } from './task-types/task-types.ts'
export { parseIsoTime, requireMosaicTime } from './task-types/task-types.ts'

/** Folders below the data directory that the importer writes to. */
interface ImporterFolders {
  /** Uploads: one folder for each import. */
  uploads: string
  /** Data of published layers. */
  stores: string
  rejects: string
  /** Indexes of files that are served directly. */
  indexes: string
  /** Files of previews and change lists, which maps show although they have no layer. */
  sides: string
  /** Zip files of imported sources, for the operator. */
  archives: string
}

/** Dependencies of the importer. Each module gets the subset it uses. */
export interface ImporterDeps {
  /** Decides whether the user of a run may load into a workspace. */
  permit: Permit
  database: Database
  catalog: Catalog
  clock: Clock
  events: EventBus
  log: Logger
  jobs: Jobs
  /** Messages between processes that share one database. */
  broadcast: Broadcast
  /** Builds indexes of files that are served directly. */
  indexMaker: IndexMaker
  folders: ImporterFolders
  /** Local copies of files in the file store; absent if servers share their disk. */
  mirror?: Mirror
  stored: StoredFiles
  /** Maps of tables without a layer. */
  sides: SideTables
  vault: Vault
  /** Settings for fetching remote data. */
  remote: RemoteAccess
  /** Folders whose files imports may use. */
  roots: readonly string[]
  limits: SourceLimits &
    ToolLimits & {
      maxTasks: number
      concurrentLoads: number
      silenceSeconds: number
      databaseWaitSeconds: number
      previewBytes: number
    } & { maxUploadBytes: number; maxResumableBytes: number }
  retention: { uploadDays: number; importDays: number; dryRunHours: number; dryRunBytes: number }
  /** True if a transformation that refers to a missing field is accepted and fails its task only when run. */
  acceptsUnknownFields: boolean
}

const retentionSeconds = 3_600
const cleanJob = 'importer.clean'
/** Number of idle workers retained for the next small import. A server that has run no import has none. */
const keptWorkers = 1

/** The importer: imports and their tasks, and all operations on them. */
export type Importer = ReturnType<typeof createImporter>

function createPool({
  limits,
  folders,
  log,
  events,
}: Pick<ImporterDeps, 'events' | 'log' | 'folders' | 'limits'>): LoadPool {
  const { concurrentLoads, silenceSeconds } = limits
  return createLoadPool({
    concurrency: concurrentLoads,
    kept: Math.min(keptWorkers, concurrentLoads),
    ownFolder: folders.stores,
    silenceMs: silenceSeconds * 1000,
    onEnd: (error) => publishEnded({ log, events }, 'load', error),
  })
}

/** Creates the in-memory state of running work in this process. */
function createLive(clock: Clock, broadcast: Broadcast) {
  const running = new RunningTable()
  const progress = new ProgressBoard(clock.now().getTime())
  shareNews({ broadcast, progress })
  hearCancellations({ broadcast, running })
  return { running, progress, locks: new ImportLocks(), names: new NameReservations() }
}

/** Returns how long tasks wait for a database and how they find out that their source is reachable again. */
function waiting(
  vault: Vault,
  limits: ImporterDeps['limits'],
  pool: LoadPool,
): Pick<WaitOptions, 'waitMs' | 'reachSource'> {
  return {
    waitMs: limits.databaseWaitSeconds * 1000,
    reachSource: async ({ source }, task, signal) => {
      const { table } = task
      if (source?.database === undefined || table === undefined) return
      await pool.describeDatabase(openedConnection(vault, source.database), {
        tables: [table],
        maxTables: 1,
        signal,
      })
    },
  }
}

/** Creates the modules of the importer and connects them. */
function createModules(deps: ImporterDeps) {
  deps.catalog.rasters.setMosaicReader(new FolderMosaics(deps.catalog))
  const { database, catalog, clock, events, log, jobs, broadcast, folders, limits } = deps
  const live = createLive(deps.clock, deps.broadcast)
  const { running, progress, locks } = live
  const pool = createPool(deps)
  const toolQueue = new WorkQueue({ limit: limits.concurrentLoads })
  const kinds = new TaskTypes({
    ...deps,
    ...live,
    servesFiles: deps.mirror === undefined,
    pool,
    tools: { turns: toolQueue, limits },
  })
  const files = new ImportFiles(folders, deps.mirror)
  const records = { database, clock, progress, files }
  const inspecting = { ...deps, progress }
  const onEnd = (error: Error): void => publishEnded({ log, events }, 'load', error)
  const locator = new CrsDetector({ records, catalog, kinds, pool, onEnd })
  const making = { records, kinds, pool, locator, limits }
  const starting = { records, jobs, locks }
  const keys = new KeyFinder({ records, kinds, locks, folders, log, onEnd })
  const runningDryRun = {
    permit: deps.permit,
    records,
    kinds,
    keys,
    jobs,
    locks,
    running,
    folders,
    log,
    sides: deps.sides,
    limits: deps.retention,
    width: limits.concurrentLoads,
  }
  const owner = { ...records, catalog }
  const tasks = {
    permit: deps.permit,
    quotas: catalog.quotas,
    owner,
    attempt: { kinds, keys, locks, files, log, progress, ...waiting(deps.vault, deps.limits, pool) },
    running,
    events,
    width: limits.concurrentLoads,
  }
  const correcting = { records, locks, tasks, events, folders }
  const cancel = { records, jobs, stop: { broadcast, running }, locks, folders, runningDryRun, correcting }
  const archive = { records, kinds, running, folders, log, keep: archiveKeeper(deps) }
  const maxBytes = limits.previewBytes
  const rejects = new RejectedRows({ folders, silenceMs: limits.silenceSeconds * 1000, onEnd })
  const previews = new Previews({ records, kinds, pool, sides: deps.sides, folders, maxBytes, log, onEnd })
  return {
    pool,
    rejects,
    previews,
    locator,
    keys,
    toolQueue,
    progress,
    cancel,
    runningDryRun,
    correcting,
    preparing: { inspecting, making, starting, running, log, events },
    running: { records, locks, tasks, archive, folders, events },
    restores: new Restores({ permit: deps.permit, database, catalog, jobs, locks, pool, clock, log }),
    edits: new Edits({ database, catalog, locks, pool, clock, log }),
    commands: createImportCommands({
      base: { records, catalog, kinds, pool },
      live,
      inspecting: inspecting,
      making,
      starting,
      cancel,
    }),
  }
}

/**
 * Returns a function that moves an archive to the file store. If servers share a disk, the archive remains
 * local.
 */
function archiveKeeper({ mirror, stored, clock }: Pick<ImporterDeps, 'mirror' | 'stored' | 'clock'>) {
  return async (path: string): Promise<void> => {
    if (mirror === undefined) return
    const file = { folder: 'archives', name: basename(path), modifiedMs: clock.now().getTime() }
    await stored.write({ ...file, mediaType: 'application/zip' }, readLocal(path))
    await rm(path, { force: true })
  }
}

/**
 * Opens the resumable uploads. Their folder is next to the uploads of imports, whose folders have numeric
 * names, so that files can be moved without copying.
 */
function openUploads({
  clock,
  folders,
  limits: all,
  mirror,
  stored,
  database,
}: Pick<ImporterDeps, 'clock' | 'folders' | 'limits' | 'mirror' | 'stored' | 'database'>): Uploads {
  const limits = { maxUploadBytes: all.maxUploadBytes, maxWaitingBytes: all.maxResumableBytes }
  if (mirror !== undefined) return new StoredUploads({ clock, limits, database, files: stored })
  return new ResumableUploads({ root: join(folders.uploads, 'resumable'), clock, limits })
}

/**
 * Wraps the commands that change or remove the rows of tasks, so that they also discard cached previews and
 * key searches, and the commands that use files of imports, so that there are local copies.
 */
function droppingPreviews(
  commands: ReturnType<typeof createImportCommands>,
  previews: Previews,
  keys: KeyFinder,
  files: ImportFiles,
) {
  function thenDrop<A extends [number, ...unknown[]], R>(
    work: (...given: A) => Promise<R>,
    isOfTask: boolean,
  ): (...given: A) => Promise<R> {
    return async (...given) => {
      const [importId, taskId] = given
      const result = await work(...given)
      const task = isOfTask && typeof taskId === 'number' ? taskId : undefined
      keys.drop(importId, task)
      await previews.drop(importId, task)
      return result
    }
  }
  return {
    changeTask: thenDrop(writing(files, commands.changeTask), true),
    editTransforms: thenDrop(writing(files, commands.editTransforms), true),
    removeTask: thenDrop(commands.removeTask, true),
    deleteFile: thenDrop(writing(files, commands.deleteFile), false),
    removeImport: thenDrop(commands.removeImport, false),
    addUpload: writing(files, commands.addUpload),
    addPath: writing(files, commands.addPath),
  }
}

/** Wraps a command that reads or writes the files of an import. */
function writing<A extends [number, ...unknown[]], R>(
  files: ImportFiles,
  work: (...given: A) => Promise<R>,
): (...given: A) => Promise<R> {
  return (...given) => files.writing(given[0], () => work(...given))
}

function workloadOf(
  { pool, toolQueue }: Pick<ReturnType<typeof createModules>, 'pool' | 'toolQueue'>,
  ended: number,
): { running: number; queued: number; ended: number } {
  const loads = pool.counts()
  return { running: loads.running + toolQueue.running, queued: loads.queued + toolQueue.waiting, ended }
}

function openPassword(vault: Vault, { id, source }: ImportRecord): string | undefined {
  const { sealedPassword } = source?.database ?? {}
  if (sealedPassword === undefined) return undefined
  const what = `The password of the source database of import ${id}`
  return vault.open(sealedPassword, { what, remedy: 'create the import again with its password' })
}

/** Builds the importer. It does not process earlier imports until it is started. */
export function createImporter(deps: ImporterDeps) {
  const { database, catalog, clock, events, log, jobs, folders, vault, roots, retention: keep } = deps
  const modules = createModules(deps)
  const { commands, pool, rejects, previews, locator, keys, progress, cancel } = modules
  const { runningDryRun, correcting, preparing, running, restores, edits } = modules
  const uploads = openUploads(deps)
  let endedCount = 0
  let versions: VersionKeeping | undefined
  events.on('work.ended', () => {
    endedCount += 1
  })
  /** Removes data past their retention period. */
  const clean = async (): Promise<void> => {
    await applyRetention({ cancel, catalog, folders, keep, log })
    await rejects.sweep(clock.now().getTime())
    await uploads.sweep()
    await pruneInTurn({ catalog, locks: running.locks })
  }
  const cleaning: JobHandler = { lane: maintenanceLane, run: clean, abandoned: async () => undefined }
  jobs.register({ [cleanJob]: cleaning }, [
    { name: cleanJob, kind: cleanJob, everySeconds: retentionSeconds },
  ])
  return {
    ...commands,
    ...droppingPreviews(commands, previews, keys, running.records.files),
    /** Files of imports: local copies, where servers do not share a disk. */
    files: running.records.files,
    /** Rejected rows of loads. */
    rejects,
    /** Previews of rows before they are loaded. */
    previews,
    /** Detects the CRS of data that name none. */
    locator,
    /** Finds columns that match rows of a task with those of its layer. */
    keys,
    /** Read access to stored imports. */
    kept: new StoredImports(database),
    /** Listed changes that tasks made, or would make according to a dry run. */
    changes: new ListedChanges({ folders, sides: deps.sides }),
    /** Progress events for clients. */
    progress,
    jobs,
    pool,
    /** Restores layers to earlier versions. */
    restores,
    /** Resumable uploads. */
    uploads,
    /** Edits single features. */
    edits,
    /** Lists the tables of a database. Nothing of the connection is stored. */
    databaseTables: tablesFinder({ ...deps, pool }),
    /** Locks for imports and for loads into a store. */
    locks: running.locks,
    /** Folders whose files layers may serve directly. */
    servedFolders: [...roots, folders.stores],
    clean,
    /** Returns the password of the database of an import. */
    databasePassword: (record: ImportRecord): string | undefined => openPassword(vault, record),
    /** Returns the style document that came with the data of a task. */
    readOwnStyle: (style: StyleFile): Promise<string> => readOwnStyle(style),
    /** Returns the numbers of running, queued, and (since the start) terminated or crashed work. */
    workload: () => workloadOf(modules, endedCount),
    /** Recovers the work of an earlier process, then starts processing. */
    start: async (): Promise<void> => {
      await catalog.layers.lookAtLogs()
      await previews.start()
      await edits.start()
      await startJobs(jobs, { preparing, running, correcting, runningDryRun, restores })
      versions = await keepVersions({ catalog, database, events, log, restores, locks: running.locks })
    },
    /** Lets running loads end or interrupts them for the next start; resolves within 10 seconds. */
    stop: async (): Promise<void> => {
      await jobs.stop()
      edits.close()
      await Promise.all([versions?.stop(), pool.close()])
      await Promise.all([rejects, previews, locator, keys].map((one) => one.close()))
    },
  }
}
