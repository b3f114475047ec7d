import type { Catalog } from '../../../catalog/index.ts'
import type { Logger } from '../../../core/log/logger.ts'
import type { IndexMaker, StoreConnection } from '../../../stores/index.ts'
import type { LoadSource } from '../../worker/worker.ts'
import type { Running } from '../task-type.ts'
import type { Targets } from './find-target.ts'
import type { Loader } from './loader.ts'

export interface RowLoadDeps {
  catalog: Catalog
  targets: Targets
  loader: Loader
  /** Builds indexes of files that are served directly. */
  indexMaker: IndexMaker
  log: Logger
  /** ISO 8601. */
  now(): string
}

/** Source of the rows of a kind. */
export interface RowSource {
  open(running: Running): LoadSource
  /** Throws if rows may not be loaded from the source into that table. */
  refuse(running: Running, to: { connection: StoreConnection; table: string }): Promise<void>
}
