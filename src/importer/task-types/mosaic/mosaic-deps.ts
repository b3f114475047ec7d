import type { Catalog } from '../../../catalog/catalog.ts'
import type { Database } from '../../../db/connection.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { Targets } from '../load/find-target.ts'
import type { RowLoads } from '../load/load-rows.ts'
import type { Loader } from '../load/loader.ts'

export interface MosaicDeps {
  catalog: Catalog
  database: Database
  pool: LoadPool
  folders: { stores: string }
  log: Logger
  /** Dependencies for loading the index of the mosaic. */
  loading: { rows: RowLoads; targets: Targets; loader: Loader }
}
