import type { Permit } from '../../access/index.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { SideTables } from '../../render/index.ts'
import type { TaskRecord } from '../model/model.ts'
import type { Keeping } from '../records/records.ts'
import type { ImportLocks, RunningTable } from '../runtime/runtime.ts'
import type { Running, TaskTypes } from '../task-types/task-types.ts'

/** Size and retention limits of dry runs. */
interface DryRunLimits {
  dryRunHours: number
  /** Maximum total size of staged rows, in bytes. */
  dryRunBytes: number
}

/** Dependencies of dry runs. */
export interface DryRunDeps {
  /** Decides whether the user of a dry run may load its tasks. */
  permit: Permit
  records: Keeping
  kinds: TaskTypes
  /** Suggests keys if a task has none. */
  keys: { explain(running: Running, signal: AbortSignal): Promise<TaskRecord> }
  jobs: Jobs
  locks: ImportLocks
  running: RunningTable
  folders: { rejects: string; sides: string }
  sides: SideTables
  limits: DryRunLimits
  /** Maximum number of concurrent tasks of one import. */
  width: number
  log: Logger
}
