import type { PrivacyMode } from '../../config/monitoring-settings.ts'
import type { ServiceType } from '../model/service-types.ts'
import type { SeriesLocation } from '../series/series-database.ts'

/** A service that is configured here. */
export interface ConfiguredService {
  id: number
  name: string
  type: ServiceType
}

export interface PrepareCall {
  /** The day of the load, in seconds since 1970. */
  day: number
  known: ConfiguredService[]
}

/** Start data of a load's thread. */
export interface MoveInData {
  place: SeriesLocation
  privacy: PrivacyMode
  path: string
  stagingPath: string
}

/** Progress of a load: bytes of the dump read, then rows. */
export interface DumpLoadProgress {
  phase: 'receiving' | 'reading' | 'translating' | 'writing' | 'publishing'
  done: number
}
