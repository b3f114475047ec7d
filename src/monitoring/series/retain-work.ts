import type { Keep } from '../../config/monitoring-settings.ts'
import type { SeriesDatabase } from './series-database.ts'
import type { SeriesState } from './series-state.ts'

/** What one transaction that removes works with. */
export interface RetainWork {
  database: SeriesDatabase
  state: SeriesState
  keep: Keep
  /** In seconds. */
  now: number
}
