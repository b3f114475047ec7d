import { join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import type { Broadcast } from '../db/broadcast.ts'
import type { Database } from '../db/connection.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/secrets/vault.ts'
import { WorkQueue } from '../lib/workers/work-queue.ts'
import type { SideTables } from '../maps/sources/side-tables.ts'
import type { SourceLimits } from '../sources/limits.ts'
import type { RemoteAccess } from '../sources/remote/remote-access.ts'
import type { IndexMaker } from '../stores/files/index/index-maker.ts'
import { applyRetention, createDesk } from './desk/desk.ts'
import { Edits } from './edit/edits.ts'
import { KeyFinder } from './keys/keys.ts'
import type { ToolLimits } from './kinds/kinds.ts'
import { Kinds } from './kinds/kinds.ts'
import {
  hearCancellations,
  ImportLocks,
  NameReservations,
  ProgressBoard,
  RunningTable,
  shareNews,
  tellEnded,
} from './live/live.ts'
import { Locator } from './locate/locate.ts'
import { openedConnection, tablesFinder } from './look/look.ts'
import type { ImportRecord, OwnStyle } from './model/model.ts'
import { Previews } from './preview/preview.ts'
import { readOwnStyle } from './publish/publish.ts'
import { KeptImports } from './records/records.ts'
import { ListedChanges } from './rehearse/rehearse.ts'
import { RejectedRows } from './rejects/rejects.ts'
import type { VersionKeeping } from './restore/keep-versions.ts'
import { keepVersions, pruneInTurn } from './restore/keep-versions.ts'
import { Restores } from './restore/restores.ts'
import type { WaitOptions } from './run/run.ts'
import { startJobs } from './run/run.ts'
import { ResumableUploads } from './uploads/uploads.ts'
import type { LoadPool } from './worker/worker.ts'
import { createLoadPool } from './worker/worker.ts'

export type { Running } from './kinds/kinds.ts'
export { parseIsoTime, requireMosaicTime } from './kinds/kinds.ts'
export type { ImportCard } from './records/records.ts'

/** Folders below the data directory that the importer writes to. */
interface ImporterFolders {
  /** One folder for each import. */
  uploads: string
  /** What published layers read. */
  stores: string
  rejects: string
  /** Indexes of files that are served as they are. */
  indexes: string
  /** Tables that belong to no layer, of which there are maps. */
  sides: string
  /** Zips of imported sources, for the operator. */
  archives: string
}

/** What the importer is built on. Its rooms are put together here; each gets its share of this. */
export interface ImporterNeeds {
  database: Database
  catalog: Catalog
  clock: Clock
  events: EventBus
  log: Logger
  jobs: Jobs
  /** What processes with one database tell each other. */
  broadcast: Broadcast
  /** Makes indexes of files that are served as they are. */
  indexMaker: IndexMaker
  folders: ImporterFolders
  /** Maps of tables that belong to no layer. */
  sides: SideTables
  vault: Vault
  /** How remote data are fetched. */
  remote: RemoteAccess
  /** Folders that imports may name files in. */
  roots: readonly string[]
  limits: SourceLimits &
    ToolLimits & {
      maxTasks: number
      concurrentLoads: number
      silenceSeconds: number
      databaseWaitSeconds: number
      previewBytes: number
    } & {
      maxUploadBytes: number
      maxResumableBytes: number
    }
  retention: { uploadDays: number; importDays: number; rehearsalHours: number; rehearsalBytes: number }
  /** Whether a transformation of a field that is not there is taken, and fails its task at run only. */
  acceptsUnknownFields: boolean
}

const retentionMs = 3_600_000
/** One idle worker answers the next small import at once; a server without imports has none. */
const keptWorkers = 1

/** Imports and their tasks: everything a client can ask of them. */
export type Importer = ReturnType<typeof createImporter>

function createPool({ limits, folders, log, events }: ImporterNeeds): LoadPool {
  const { concurrentLoads, silenceSeconds } = limits
  return createLoadPool({
    concurrency: concurrentLoads,
    kept: Math.min(keptWorkers, concurrentLoads),
    ownFolder: folders.stores,
    silenceMs: silenceSeconds * 1000,
    onEnd: (error) => tellEnded({ log, events }, 'load', error),
  })
}

/** What this process knows of work under way. */
function createLive({ clock, broadcast }: ImporterNeeds) {
  const running = new RunningTable()
  const progress = new ProgressBoard(clock.now().getTime())
  shareNews({ broadcast, progress })
  hearCancellations({ broadcast, running })
  return { running, progress, locks: new ImportLocks(), names: new NameReservations() }
}

/** How long tasks wait for a database, and how they learn that their source is back. */
function waiting(
  { limits, vault }: ImporterNeeds,
  pool: LoadPool,
): Pick<WaitOptions, 'waitMs' | 'reachSource'> {
  return {
    waitMs: limits.databaseWaitSeconds * 1000,
    reachSource: async ({ source }, task, signal) => {
      const { table } = task
      if (source?.database === undefined || table === undefined) return
      await pool.describeDatabase(openedConnection(vault, source.database), {
        ...{ tables: [table], maxTables: 1, signal },
      })
    },
  }
}

/** Puts the rooms together. */
function createRooms(needs: ImporterNeeds) {
  const { database, catalog, clock, events, log, jobs, broadcast, folders, limits } = needs
  const live = createLive(needs)
  const { running, progress, locks } = live
  const pool = createPool(needs)
  const toolTurns = new WorkQueue({ limit: limits.concurrentLoads })
  const kinds = new Kinds({ ...needs, ...live, pool, tools: { turns: toolTurns, limits } })
  const records = { database, clock, progress }
  const look = { ...needs, progress }
  const onEnd = (error: Error): void => tellEnded({ log, events }, 'load', error)
  const locator = new Locator({ records, catalog, kinds, pool, onEnd })
  const making = { records, kinds, pool, locator, limits }
  const starting = { records, jobs, locks }
  const keys = new KeyFinder({ records, kinds, locks, folders, log, onEnd })
  const rehearsing = {
    ...{ records, kinds, keys, jobs, locks, running, folders, log, sides: needs.sides },
    ...{ limits: needs.retention, width: limits.concurrentLoads },
  }
  const owner = { ...records, catalog }
  const tasks = {
    owner,
    attempt: { kinds, keys, locks, log, progress, ...waiting(needs, pool) },
    running,
    events,
    width: limits.concurrentLoads,
  }
  const mending = { records, locks, tasks, events, folders }
  const cancel = { records, jobs, stop: { broadcast, running }, locks, folders, rehearsing, mending }
  const archive = { records, kinds, running, folders, log }
  const maxBytes = limits.previewBytes
  const rejects = new RejectedRows({ folders, silenceMs: limits.silenceSeconds * 1000, onEnd })
  const previews = new Previews({ records, kinds, pool, sides: needs.sides, folders, maxBytes, log, onEnd })
  return {
    pool,
    rejects,
    previews,
    locator,
    keys,
    toolTurns,
    progress,
    cancel,
    rehearsing,
    mending,
    preparing: { look, making, starting, running, log, events },
    running: { records, locks, tasks, archive, folders, events },
    restores: new Restores({ database, catalog, jobs, locks, pool, clock, log }),
    edits: new Edits({ database, catalog, locks, pool, clock, log }),
    desk: createDesk({ base: { records, catalog, kinds, pool }, live, look, making, starting, cancel }),
  }
}

/** Beside the uploads of imports, whose folders are named by numbers: files go from here to there without copying. */
function openUploads({ folders, clock, limits }: ImporterNeeds): ResumableUploads {
  const { maxUploadBytes, maxResumableBytes: maxWaitingBytes } = limits
  return new ResumableUploads({
    ...{ root: join(folders.uploads, 'resumable'), clock },
    limits: { maxUploadBytes, maxWaitingBytes },
  })
}

/** What changes the rows of tasks, or takes tasks away: what was looked at before is given up. */
function droppingLooks(desk: ReturnType<typeof createDesk>, previews: Previews, keys: KeyFinder) {
  function thenDrop<A extends [number, ...unknown[]], R>(
    work: (...given: A) => Promise<R>,
    isOfTask: boolean,
  ): (...given: A) => Promise<R> {
    return async (...given) => {
      const result = await work(...given)
      const [importId, taskId] = given
      const task = isOfTask && typeof taskId === 'number' ? taskId : undefined
      keys.drop(importId, task)
      await previews.drop(importId, task)
      return result
    }
  }
  return {
    changeTask: thenDrop(desk.changeTask, true),
    editTransforms: thenDrop(desk.editTransforms, true),
    removeTask: thenDrop(desk.removeTask, true),
    deleteFile: thenDrop(desk.deleteFile, false),
    removeImport: thenDrop(desk.removeImport, false),
  }
}

function workloadOf(
  { pool, toolTurns }: Pick<ReturnType<typeof createRooms>, 'pool' | 'toolTurns'>,
  ended: number,
): { running: number; queued: number; ended: number } {
  const loads = pool.counts()
  return {
    running: loads.running + toolTurns.running,
    queued: loads.queued + toolTurns.waiting,
    ended,
  }
}

function openPassword(vault: Vault, { id, source }: ImportRecord): string | undefined {
  const { sealedPassword } = source?.database ?? {}
  if (sealedPassword === undefined) return undefined
  const what = `The password of the source database of import ${id}`
  return vault.open(sealedPassword, { what, mend: 'create the import again with its password' })
}

/** Builds the importer. It does nothing with earlier imports until it is started. */
export function createImporter(needs: ImporterNeeds) {
  const { database, catalog, clock, events, log, jobs, folders, vault, roots, retention: keep } = needs
  const rooms = createRooms(needs)
  const { desk, pool, rejects, previews, locator, keys, progress, cancel } = rooms
  const { rehearsing, mending, preparing, running, restores, edits } = rooms
  const uploads = openUploads(needs)
  let endedCount = 0
  let cleaning: NodeJS.Timeout | undefined
  let versions: VersionKeeping | undefined
  events.on('work.ended', () => {
    endedCount += 1
  })
  /** Removes what nobody has touched for long. */
  const clean = async (): Promise<void> => {
    await applyRetention({ cancel, catalog, folders, keep, log })
    await rejects.sweep(clock.now().getTime())
    await uploads.sweep()
    await pruneInTurn({ catalog, locks: running.locks })
  }
  const cleanUp = (): void => {
    clean().catch((error: unknown) => log.error({ err: error }, 'old imports could not be removed'))
  }
  return {
    ...desk,
    ...droppingLooks(desk, previews, keys),
    /** Rows that loads have rejected. */
    rejects,
    /** Looks at rows before they are loaded. */
    previews,
    /** Finds the CRS of data that name none. */
    locator,
    /** Finds columns by which rows of a task and of its layer are the same. */
    keys,
    /** What is kept, to be read. */
    kept: new KeptImports(database),
    /** What is listed of changes that tasks make, or would make. */
    changes: new ListedChanges({ folders, sides: needs.sides }),
    /** How far things are, for those who watch. */
    progress,
    jobs,
    pool,
    /** Brings layers back to earlier versions. */
    restores,
    /** Files that come in pieces. */
    uploads,
    /** Changes single features. */
    edits,
    /** The tables of a database; nothing of the connection is kept. */
    databaseTables: tablesFinder({ ...needs, pool }),
    /** Under which one at a time works on an import, or loads into a store. */
    locks: running.locks,
    /** Folders whose files layers may be served from. */
    servedFolders: [...roots, folders.stores],
    clean,
    /** The password of the database that an import reads. */
    databasePassword: (record: ImportRecord): string | undefined => openPassword(vault, record),
    /** The style document that came with a task's data. */
    readOwnStyle: (style: OwnStyle): Promise<string> => readOwnStyle(style),
    /** What is under way and waits, and how much was ended from outside or died since the start. */
    workload: () => workloadOf(rooms, endedCount),
    /** Takes up what an earlier process left, then works. */
    start: async (): Promise<void> => {
      await catalog.layers.lookAtLogs()
      await previews.start()
      await edits.start()
      await startJobs(jobs, { preparing, running, mending, rehearsing, restores })
      versions = await keepVersions({ catalog, database, events, log, restores, locks: running.locks })
      cleaning = setInterval(cleanUp, retentionMs).unref()
      cleanUp()
    },
    /** Lets running loads end or interrupts them for the next start; ends within 10 seconds. */
    stop: async (): Promise<void> => {
      clearInterval(cleaning)
      await jobs.stop()
      edits.close()
      await Promise.all([versions?.stop(), pool.close()])
      await Promise.all([rejects, previews, locator, keys].map((one) => one.close()))
    },
  }
}
