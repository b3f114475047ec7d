import type { IndexMaker } from '../../../stores/files/index/index-maker.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { RowLoads } from '../load/load-rows.ts'

export interface ServedNeeds {
  rows: RowLoads
  pool: LoadPool
  folders: { stores: string; uploads: string; rejects: string; indexes: string }
  indexMaker: IndexMaker
}
