import type { Keep } from '../../config/monitoring-settings.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'

/** Context of one deleting transaction. */
export interface RetainWork {
  database: SeriesDatabase
  state: SeriesState
  keep: Keep
  /** Maximum number of cells per layer and day in `monitoring_demand`. */
  demandCells: number
  /** In seconds. */
  now: number
}
