import type { Catalog } from '../../../catalog/catalog.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { WorkQueue } from '../../../lib/workers/work-queue.ts'
import type { ProgressBoard } from '../../runtime/runtime.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { ToolLimits } from './run-tools.ts'

export interface RasterDeps {
  catalog: Catalog
  pool: LoadPool
  progress: ProgressBoard
  folders: { stores: string; uploads: string }
  log: Logger
  /** Concurrency and resource limits of tool chains. */
  tools: { turns: WorkQueue; limits: ToolLimits }
}
