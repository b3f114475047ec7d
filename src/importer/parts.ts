import type { Catalog } from '../catalog/catalog.ts'
import type { Broadcast } from '../db/broadcast.ts'
import type { Database } from '../db/connection.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventBus } from '../lib/events.ts'
import type { Logger } from '../lib/logger.ts'
import type { Vault } from '../lib/vault.ts'
import type { WorkQueue } from '../lib/workers/work-queue.ts'
import type { SourceLimits } from '../sources/limits.ts'
import type { RemoteAccess } from '../sources/remote/remote-access.ts'
import type { IndexMaker } from '../stores/files/index/index-maker.ts'
import type { ToolLimits } from './kinds/raster/run-tools.ts'
import type { ImportLocks, NameReservations, ProgressBoard, RunningTable } from './live/live.ts'
import type { LoadPool } from './worker/worker.ts'

export interface ImporterFolders {
  /** One folder for each import. */
  uploads: string
  /** What published layers read. */
  stores: string
  rejects: string
  /** Indexes of files that are served as they are. */
  indexes: string
  /** Zips of imported sources, for the operator. */
  archives: string
}

/** What the importer is made of and works with. */
export interface ImporterParts {
  database: Database
  catalog: Catalog
  clock: Clock
  events: EventBus
  log: Logger
  jobs: Jobs
  /** What processes with one database tell each other. */
  broadcast: Broadcast
  pool: LoadPool
  /** Makes indexes of files that are served as they are. */
  indexMaker: IndexMaker
  /** Chains of raster tools at the same time; the rest wait. */
  toolTurns: WorkQueue
  locks: ImportLocks
  progress: ProgressBoard
  running: RunningTable
  names: NameReservations
  folders: ImporterFolders
  vault: Vault
  /** How remote data are fetched. */
  remote: RemoteAccess
  /** Folders that imports may name files in. */
  roots: readonly string[]
  limits: SourceLimits & ToolLimits & { maxTasks: number; concurrentLoads: number; silenceSeconds: number }
  retention: { uploadDays: number; importDays: number }
  /** Whether a transformation of a field that is not there is taken, and fails its task at run only. */
  acceptsUnknownFields: boolean
}
