import type { PrivacyMode } from '../../config/monitoring-settings.ts'
import type { ServiceType } from '../model/service-types.ts'
import type { SeriesPlace } from '../series/series-database.ts'

/** A service that is configured here. */
export interface KnownService {
  id: number
  name: string
  type: ServiceType
}

export interface PrepareCall {
  /** The day of the load, in seconds since 1970. */
  day: number
  known: KnownService[]
}

/** Start data of a load's thread. */
export interface MoveInData {
  place: SeriesPlace
  privacy: PrivacyMode
  path: string
  stagingPath: string
}

/** Progress of a load: bytes of the dump read, then rows. */
export interface LoadProgress {
  phase: 'receiving' | 'reading' | 'translating' | 'writing' | 'publishing'
  done: number
}
