import type { Keep } from '../../config/monitoring-settings.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'

/** What one transaction that removes works with. */
export interface RetainWork {
  database: SeriesDatabase
  state: SeriesState
  keep: Keep
  /** Cells of a layer and day that `monitoring_demand` keeps. */
  demandCells: number
  /** In seconds. */
  now: number
}
