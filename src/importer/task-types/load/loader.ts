import { rm } from 'node:fs/promises'
import type { EventBus } from '../../../core/events/events.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import type { TaskLayer, TaskRecord } from '../../model/model.ts'
import { changesPath, dryRunRejectsPath, rejectsPath } from '../../records/records.ts'
import type { ProgressBoard } from '../../runtime/runtime.ts'
import type {
  CorrectionOutcome,
  LoadOutcome,
  LoadPlan,
  LoadPool,
  LoadProgress,
  TriedLoad,
} from '../../worker/worker.ts'
import { stageTaskLoad } from '../../worker/worker.ts'
import type { CommitNote } from '../task-type.ts'

/** Progress and messages of a running load. */
export interface LoaderWork {
  task: TaskRecord
  startedMs: number
  signal: AbortSignal
  /** Messages from before the load and from its progress. */
  messages: FormatMessage[]
  onProgress?(progress: LoadProgress): void
  onStopped?(tried: TriedLoad): Promise<void>
  onNothingCorrected?(corrected: CorrectionOutcome): Promise<void>
  beforeTouch?(mark: string): Promise<void>
}

/** Staged rows and their commit note as stored on the task. */
export interface StagedTaskRows {
  commit(write: (note: CommitNote, outcome: LoadOutcome) => Promise<void>): Promise<LoadOutcome>
  discard(why: unknown): Promise<void>
}

/** Stages rows in workers and reports progress to the clients of the import. */
export class Loader {
  readonly #pool: LoadPool
  readonly #progress: ProgressBoard
  readonly #events: EventBus
  readonly #folders: { rejects: string; sides: string }

  constructor(needs: {
    pool: LoadPool
    progress: ProgressBoard
    events: EventBus
    folders: { rejects: string; sides: string }
  }) {
    this.#pool = needs.pool
    this.#progress = needs.progress
    this.#events = needs.events
    this.#folders = needs.folders
  }

  /** Path of the rejected rows of a task. */
  rejectsPath({ importId, id }: TaskRecord, number?: number): string {
    return rejectsPath(this.#folders, importId, id, number)
  }

  /** Path of the rows that a dry run of a task rejects. */
  dryRunRejectsPath({ importId, id }: TaskRecord): string {
    return dryRunRejectsPath(this.#folders, importId, id)
  }

  /** Path of the list of changes that the `UPSERT` of a task made, or that a dry run predicts. */
  changesPath({ importId, id }: TaskRecord, by: 'trial' | 'upsert'): string {
    return changesPath(this.#folders, importId, id, by)
  }

  /** Removes the results of a dry run, which are useless once the task is loaded. */
  async removeDryRunFiles(task: TaskRecord): Promise<void> {
    for (const path of [this.dryRunRejectsPath(task), this.changesPath(task, 'trial')])
      await rm(path, { force: true }).catch(() => undefined)
  }

  async stage(plan: LoadPlan, work: LoaderWork): Promise<StagedTaskRows> {
    const { messages, onStopped, onNothingCorrected, beforeTouch } = work
    const advanced = (progress: LoadProgress): void => this.#announce(plan, progress)
    const watched = this.#watch(work, advanced)
    const handlers = { ...watched, onStopped, onNothingCorrected, beforeTouch }
    const staged = await stageTaskLoad(this.#pool, plan, handlers)
    return {
      commit: (write) => staged.commit((token, outcome) => write(noteOf(token, outcome, messages), outcome)),
      discard: staged.discard,
    }
  }

  /** Stages rows and measures them; commits nothing. */
  performDryRun(plan: LoadPlan, work: LoaderWork): Promise<TriedLoad> {
    return this.#pool.performDryRun(plan, this.#watch(work))
  }

  #watch(
    { task, startedMs, signal, messages, onProgress }: LoaderWork,
    advanced?: (progress: LoadProgress) => void,
  ) {
    return {
      signal,
      onProgress: (progress: LoadProgress): void => {
        onProgress?.(progress)
        advanced?.(progress)
        this.tell(task, startedMs, progress)
      },
      onMessage: (message: FormatMessage): void => void messages.push(message),
    }
  }

  /** Announces to listeners that prepare for the end of a load that its rows are read. */
  #announce({ connection }: LoadPlan, { rows, isReadToEnd }: LoadProgress): void {
    if (isReadToEnd === true) this.#events.emit('load.read', { rows, storeType: connection.type })
  }

  /** Loads prerequisites of a load into a separate location. */
  async copy(plan: LoadPlan, signal: AbortSignal): Promise<void> {
    const quiet = { onProgress: () => undefined, onMessage: () => undefined }
    await this.#pool.load(plan, { ...quiet, signal, beforeCommit: () => Promise.resolve() })
  }

  /** Reports the progress of a load. */
  tell(task: TaskRecord, startedMs: number, progress: LoadProgress): void {
    const total = task.source?.featureCount ?? -1
    const seconds = Math.max(0.001, (performance.now() - startedMs) / 1000)
    const rowsPerSecond = Math.round(progress.rows / seconds)
    const left = total < 0 || rowsPerSecond === 0 ? undefined : (total - progress.rows) / rowsPerSecond
    const remainingSeconds = left === undefined ? undefined : Math.max(0, Math.round(left))
    const { phase, rows, rejected } = progress
    this.#progress.tell(task.importId, {
      type: 'progress',
      taskId: task.id,
      progress: { phase, progress: rows, total, rejected, rowsPerSecond, remainingSeconds },
    })
  }
}

function noteOf(token: string, outcome: LoadOutcome, messages: FormatMessage[]): CommitNote {
  const { rowsRead, rowsLoaded, rejected, renamed, kept, changes } = outcome
  const renames = Object.entries(renamed).map(
    ([from, to]): FormatMessage => ({
      level: 'info',
      code: 'column-renamed',
      message: `Attribute "${from}" is stored as column "${to}"`,
    }),
  )
  return {
    token,
    counts: { rowsRead, rowsLoaded, rejected },
    kept,
    changes,
    columns: loadedColumns(outcome),
    messages: [...messages, ...renames],
  }
}

/** Returns the loaded columns with their names in the store. */
function loadedColumns({ schema, renamed }: LoadOutcome): NonNullable<TaskLayer['loaded']> {
  const { attributes, geometry } = schema
  return {
    attributes: attributes.map(({ name, type, source = name, example, title }) => ({
      name: ownValue(renamed, name) ?? name,
      type,
      source,
      example,
      title,
    })),
    geometry: geometry === undefined ? undefined : { name: geometry.name, type: geometry.type },
  }
}
