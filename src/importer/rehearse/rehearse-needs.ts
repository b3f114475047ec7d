import type { Jobs } from '../../jobs/jobs.ts'
import type { Logger } from '../../lib/logger.ts'
import type { SideTables } from '../../maps/sources/side-tables.ts'
import type { Kinds, Running } from '../kinds/kinds.ts'
import type { ImportLocks, RunningTable } from '../live/live.ts'
import type { TaskRecord } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'

/** How much is kept of rehearsals, and for how long. */
interface RehearsalLimits {
  rehearsalHours: number
  /** What all that is staged may take. */
  rehearsalBytes: number
}

/** What rehearsals are built on. */
export interface RehearseNeeds {
  records: Keeping
  kinds: Kinds
  /** Tells which keys would do where a task has none. */
  keys: { explain(running: Running, signal: AbortSignal): Promise<TaskRecord> }
  jobs: Jobs
  locks: ImportLocks
  running: RunningTable
  folders: { rejects: string; sides: string }
  sides: SideTables
  limits: RehearsalLimits
  /** Tasks of one import at the same time. */
  width: number
  log: Logger
}
