import type { Catalog } from '../../../catalog/catalog.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { IndexMaker } from '../../../stores/files/index/index-maker.ts'
import type { StoreConnection } from '../../../stores/store.ts'
import type { LoadSource } from '../../worker/worker.ts'
import type { Running } from '../kind.ts'
import type { Targets } from './find-target.ts'
import type { Loader } from './loader.ts'

export interface RowNeeds {
  catalog: Catalog
  targets: Targets
  loader: Loader
  /** Makes indexes of files that are served as they are. */
  indexMaker: IndexMaker
  log: Logger
  /** ISO 8601. */
  now(): string
}

/** Where the rows of a kind come from. */
export interface RowSource {
  open(running: Running): LoadSource
  /** Throws where rows may not go from there to a table. */
  refuse(running: Running, to: { connection: StoreConnection; table: string }): Promise<void>
}
