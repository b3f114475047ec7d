import type { PrivacyMode } from '../../config/monitoring-settings.ts'
import type { SeriesPlace } from '../series/series-database.ts'

/** What the thread of a load is started with. */
export interface MoveInData {
  place: SeriesPlace
  privacy: PrivacyMode
  path: string
  stagingPath: string
}
