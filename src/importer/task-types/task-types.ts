import type { Catalog } from '../../catalog/index.ts'
import type { Database } from '../../core/db/connection.ts'
import type { EventBus } from '../../core/events/events.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { FormatMessage } from '../../formats/worker.ts'
import type { IndexMaker } from '../../stores/index.ts'
import { TransformError, type TransformSpec } from '../../transforms/index.ts'
import type { ImportRecord, ImportSource, TaskLoad, TaskRecord } from '../model/model.ts'
import type { NameReservations, ProgressBoard } from '../runtime/runtime.ts'
import type { LoadPool } from '../worker/worker.ts'
import { correctionsTask } from './corrections/corrections.ts'
import type { InspectAgainDeps } from './inspect-again.ts'
import { reexamine } from './inspect-again.ts'
import { Targets } from './load/find-target.ts'
import { RowLoads } from './load/load-rows.ts'
import { Loader } from './load/loader.ts'
import { mosaicKind } from './mosaic/mosaic.ts'
import { rasterKind } from './raster/raster.ts'
import type { RasterDeps } from './raster/run-tools.ts'
import { servedKind } from './served/served.ts'
import { tableKind } from './table/table.ts'
import type { TaskKind } from './task-type.ts'
import { vectorKind } from './vector/vector.ts'

/** Dependencies of the kinds; each takes its subset. */
export interface TaskTypeDeps {
  /** Stored records and published layers. */
  catalog: Catalog
  database: Database
  vault: Vault
  /** Workers that do the loads. */
  pool: LoadPool
  indexMaker: IndexMaker
  tools: RasterDeps['tools']
  /** In-memory state of running work. */
  names: NameReservations
  progress: ProgressBoard
  events: EventBus
  log: Logger
  clock: Clock
  /** True if layers may read files in place. */
  servesFiles: boolean
  folders: { stores: string; uploads: string; rejects: string; indexes: string; sides: string }
  /** True if a transformation that refers to a missing field is accepted and fails its task only when run. */
  acceptsUnknownFields: boolean
}

/** Error code of the transformation and code of the message that replaces it. */
const unknownField = 'unknown-field'

/**
 * The registry: the kind of a task, source or load is the first that accepts it; rows of files accept the
 * rest.
 */
export class TaskTypes {
  readonly #all: readonly TaskKind[]
  readonly #rows: TaskKind
  readonly #examineNeeds: InspectAgainDeps

  constructor(deps: TaskTypeDeps) {
    const { catalog, indexMaker, log } = deps
    const targets = new Targets(deps)
    const loader = new Loader(deps)
    const now = () => deps.clock.now().toISOString()
    const rows = new RowLoads({ catalog, targets, loader, indexMaker, log, now })
    this.#all = [
      correctionsTask({ ...deps, rows }),
      mosaicKind({ ...deps, loading: { rows, targets, loader } }),
      rasterKind(deps),
      tableKind({ ...deps, rows }),
      servedKind({ ...deps, rows, loader }),
    ]
    this.#rows = vectorKind({ ...deps, rows })
    this.#examineNeeds = deps
  }

  /** Returns the kind of a task according to its present record. */
  of(task: TaskRecord): TaskKind {
    return this.#all.find((kind) => kind.takes(task)) ?? this.#rows
  }

  /** Returns the kind that inspects the data of an import. */
  ofSource(source: ImportSource | undefined): TaskKind {
    return this.#all.find((kind) => source !== undefined && kind.takesSource(source)) ?? this.#rows
  }

  /** Returns the kind of a load. The kind of the task may have changed since. */
  ofLoad(load: TaskLoad): TaskKind {
    return this.#all.find((kind) => kind.takesLoad(load)) ?? this.#rows
  }

  /**
   * Validates a new chain of a task, and returns the messages of the task with it. If missing fields are
   * accepted, they only cause a message.
   */
  async checkTransforms(task: TaskRecord, specs: TransformSpec[]): Promise<FormatMessage[]> {
    const messages = task.messages.filter(({ code }) => code !== unknownField)
    try {
      await this.of(task).checkTransforms(task, specs)
      return messages
    } catch (error) {
      const { acceptsUnknownFields } = this.#examineNeeds
      const isAccepted =
        acceptsUnknownFields && error instanceof TransformError && error.code === unknownField
      if (!isAccepted) throw error
      return [...messages, { level: 'warning', code: unknownField, message: error.message }]
    }
  }

  /**
   * Examines a task again after any change and sets its state, target and message. Does not save the task.
   * Call outside a transaction.
   */
  reexamine(record: ImportRecord, task: TaskRecord): Promise<TaskRecord> {
    return reexamine(this.#examineNeeds, this.of(task), record, task)
  }
}
export { toTaskStore } from './inspect-again.ts'
export { refuseOtherLayer } from './load/corrections-target.ts'
export { stampSource } from './load/dry-run-basis.ts'
export { assembleMosaic, mosaicName } from './mosaic/assemble-mosaic.ts'
export { FolderMosaics } from './mosaic/folder-mosaics.ts'
export { parseIsoTime, requireMosaicTime } from './mosaic/granule-times.ts'
export { removeReplaced } from './mosaic/place-granules.ts'
export { requirePrograms } from './raster/check-transforms.ts'
export type { ToolLimits } from './raster/run-tools.ts'
export type {
  CommitNote,
  Committed,
  Placed,
  Running,
  StagedTask,
  StageNotes,
  TaskPlan,
  TaskPublication,
  TaskRows,
} from './task-type.ts'
