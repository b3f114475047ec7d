import type { IndexMaker } from '../../../stores/files/index/index-maker.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { RowLoads } from '../load/load-rows.ts'
import type { Loader } from '../load/loader.ts'

export interface ServedDeps {
  rows: RowLoads
  loader: Loader
  pool: LoadPool
  folders: { stores: string; uploads: string; rejects: string; indexes: string }
  indexMaker: IndexMaker
}
