import type { Catalog } from '../../catalog/catalog.ts'
import type { Database } from '../../db/connection.ts'
import type { Message } from '../../formats/format.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/secrets/vault.ts'
import type { IndexMaker } from '../../stores/files/index/index-maker.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import { TransformError } from '../../transforms/transform.ts'
import type { NameReservations, ProgressBoard } from '../live/live.ts'
import type { ImportRecord, ImportSource, TaskLoad, TaskRecord } from '../model/model.ts'
import type { LoadPool } from '../worker/worker.ts'
import type { TaskKind } from './kind.ts'
import { Targets } from './load/find-target.ts'
import { RowLoads } from './load/load-rows.ts'
import { Loader } from './load/loader.ts'
import { mendedKind } from './mended/mended.ts'
import { mosaicKind } from './mosaic/mosaic.ts'
import { rasterKind } from './raster/raster.ts'
import type { RasterNeeds } from './raster/raster-needs.ts'
import type { ExamineNeeds } from './reexamine.ts'
import { reexamine } from './reexamine.ts'
import { servedKind } from './served/served.ts'
import { tableKind } from './table/table.ts'
import { vectorKind } from './vector/vector.ts'

/** What the kinds are built from; each takes its share. */
export interface KindNeeds {
  /** What is kept and published. */
  catalog: Catalog
  database: Database
  vault: Vault
  /** What does the work. */
  pool: LoadPool
  indexMaker: IndexMaker
  tools: RasterNeeds['tools']
  /** What is known of work under way. */
  names: NameReservations
  progress: ProgressBoard
  events: EventBus
  log: Logger
  clock: Clock
  folders: { stores: string; uploads: string; rejects: string; indexes: string; sides: string }
  /** Whether a transformation of a field that is not there is taken, and fails its task at run only. */
  acceptsUnknownFields: boolean
}

/** Code of a transformation's error, and of the message that stands for it. */
const unknownField = 'unknown-field'

/** The registry: the first that takes a task, a source or a load is its kind; rows of files take what is left. */
export class Kinds {
  readonly #all: readonly TaskKind[]
  readonly #rows: TaskKind
  readonly #examineNeeds: ExamineNeeds

  constructor(needs: KindNeeds) {
    const { catalog, indexMaker, log } = needs
    const targets = new Targets(needs)
    const loader = new Loader(needs)
    const now = () => needs.clock.now().toISOString()
    const rows = new RowLoads({ catalog, targets, loader, indexMaker, log, now })
    this.#all = [
      mendedKind({ ...needs, rows }),
      mosaicKind({ ...needs, loading: { rows, targets, loader } }),
      rasterKind(needs),
      tableKind({ ...needs, rows }),
      servedKind({ ...needs, rows, loader }),
    ]
    this.#rows = vectorKind({ ...needs, rows })
    this.#examineNeeds = needs
  }

  /** What a task is, as its record stands. */
  of(task: TaskRecord): TaskKind {
    return this.#all.find((kind) => kind.takes(task)) ?? this.#rows
  }

  /** By what an import's data are looked at. */
  ofSource(source: ImportSource | undefined): TaskKind {
    return this.#all.find((kind) => source !== undefined && kind.takesSource(source)) ?? this.#rows
  }

  /** What a load is. The task may be of another kind since. */
  ofLoad(load: TaskLoad): TaskKind {
    return this.#all.find((kind) => kind.takesLoad(load)) ?? this.#rows
  }

  /**
   * Checks a new chain of a task, and gives the task's messages with it. A field that is not there is a message only,
   * where such are accepted.
   */
  async checkTransforms(task: TaskRecord, specs: TransformSpec[]): Promise<Message[]> {
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
   * Looks at a task again after anything about it has changed. What it says stands in its state, target and message;
   * not saved. Call it outside a transaction.
   */
  reexamine(record: ImportRecord, task: TaskRecord): Promise<TaskRecord> {
    return reexamine(this.#examineNeeds, this.of(task), record, task)
  }
}
export type {
  CommitNote,
  Committed,
  Placed,
  Publication,
  Running,
  Staged,
  StageNotes,
  TaskPlan,
  TaskRows,
} from './kind.ts'
export { refuseOtherLayer } from './load/mended-target.ts'
export { stampSource } from './load/trial-basis.ts'
export { assembleMosaic, mosaicName } from './mosaic/assemble-mosaic.ts'
export { parseIsoTime, requireMosaicTime } from './mosaic/granule-times.ts'
export { removeReplaced } from './mosaic/place-granules.ts'
export { requirePrograms } from './raster/check-transforms.ts'
export type { ToolLimits } from './raster/run-tools.ts'
export { toTaskStore } from './reexamine.ts'
