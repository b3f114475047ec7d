import type { Database } from '../../core/db/connection.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import { defined, without } from '../../core/values/defined.ts'
import type { FormatMessage } from '../../formats/worker.ts'
import type { ImportRecord, Stopped, TaskDryRun, TaskLoad, TaskRecord } from '../model/model.ts'
import { correctionEnded, isCorrecting, taskAfter, withoutGeometryCode } from '../model/model.ts'
import type { PublishDeps } from '../publish/publish.ts'
import { publishTask } from '../publish/publish.ts'
import { saveTaskAndPublish } from '../records/records.ts'
import type { CommitNote, Running, StageNotes, TaskPublication } from '../task-types/task-types.ts'

export interface OwnerDeps extends PublishDeps {
  database: Database
}

/**
 * Owns a task while it runs: the only object that has the latest saved record and saves it. A save over a
 * newer record fails, so an abandoned owner cannot change anything.
 */
export class RunningTask implements Running, StageNotes {
  readonly record: ImportRecord
  #task: TaskRecord
  #isUnsettled: boolean
  readonly #deps: OwnerDeps

  /** `isUnsettled`: one of its loads was interrupted with an unknown commit status. */
  constructor(deps: OwnerDeps, { record, task }: Running, isUnsettled = false) {
    this.#deps = deps
    this.record = record
    this.#task = task
    this.#isUnsettled = isUnsettled
  }

  get task(): TaskRecord {
    return this.#task
  }

  get isUnsettled(): boolean {
    return this.#isUnsettled
  }

  /** True if the task belongs to this run and the run has not ended. */
  isOf(jobId: number): boolean {
    return this.#task.run?.jobId === jobId
  }

  /** The running or interrupted load. */
  get load(): TaskLoad | undefined {
    return this.#task.state === 'RUNNING' ? this.#task.run?.load : undefined
  }

  /** Resumes a load whose commit status was unknown when its run ended. */
  async resume(): Promise<void> {
    const { unsettled, ...task } = without(this.#task, 'errorMessage', 'errorCode')
    if (unsettled === undefined) return
    const run = { jobId: 0, attempt: 0, ...task.run, load: unsettled }
    // A task with corrected rows is already RUNNING.
    const started = task.state === 'RUNNING' ? task : taskAfter(task, { type: 'started' })
    await this.#save({ ...started, run })
  }

  /** Starts another attempt of a task that is RUNNING already. */
  async beginAgain(attempt: number): Promise<void> {
    await this.#save({ ...this.#task, run: { jobId: this.#jobId, attempt } })
  }

  /** Starts the first attempt, with the task as examined again. */
  async begin(examined: TaskRecord, attempt: number): Promise<void> {
    const results = ['rowsRead', 'rowsLoaded', 'rejected', 'errorMessage', 'errorCode'] as const
    const rest = without(examined, ...results)
    const layer = examined.layer === undefined ? {} : { layer: without(examined.layer, 'loaded') }
    const messages = withoutGeometryCode({ ...examined, messages: rest.source?.messages ?? [] })
    const fresh = { ...rest, ...layer, messages }
    const run = { jobId: this.#jobId, attempt }
    await this.#save({ ...taskAfter(fresh, { type: 'started' }), run })
  }

  /** Ends the run of a task that cannot run according to the new examination. */
  async giveUp(examined: TaskRecord): Promise<void> {
    await this.#save(examined)
  }

  /**
   * Stores the target of a load before anything is written there. Rows staged earlier belong to this load, or
   * are removed.
   */
  async aim(load: TaskLoad): Promise<void> {
    await this.#save({ ...without(this.#task, 'trial', 'stopped'), run: { ...this.#run, load } })
  }

  /** Clears the record of staged rows, which no longer exist. */
  async forgetDryRun(): Promise<void> {
    if (this.#task.trial !== undefined) await this.#save(without(this.#task, 'trial'))
  }

  /** The limits of the load have stopped it: its staged rows wait for the decision of a user. */
  async keepStopped(dryRun: TaskDryRun): Promise<void> {
    const { rows, stopped } = dryRun.found ?? {}
    const run = without(this.#run, 'load')
    const counts = { rowsRead: rows?.read ?? 0, rowsLoaded: 0, rejected: rows?.rejected ?? 0 }
    await this.#save({ ...this.#task, ...counts, trial: dryRun, run, stopped: stopped ?? this.#task.stopped })
  }

  /** Adds a message that is retained whatever the result of the attempt. */
  async say(message: FormatMessage): Promise<void> {
    await this.#save({ ...this.#task, messages: [...this.#task.messages, message] })
  }

  /**
   * Stores the row counts of a load that was aborted because of its rejected rows, which users can inspect.
   */
  async keepCounts({ rowsRead, rejected }: { rowsRead: number; rejected: number }): Promise<void> {
    await this.#save({ ...this.#task, rowsRead, rowsLoaded: 0, rejected })
  }

  /** Records that the limits of the task have stopped the load of its corrected rows. */
  async storeStoppedCorrections(stopped: Stopped[]): Promise<void> {
    const { mending: correcting } = this.#task
    if (correcting !== undefined) await this.#save({ ...this.#task, mending: { ...correcting, stopped } })
  }

  /** Records that none of the corrected rows can be loaded; the list of rejected rows gives the reasons. */
  async storeNothingCorrected({
    number,
    rows,
    reasons,
  }: Parameters<StageNotes['storeNothingCorrected']>[0]): Promise<void> {
    const { mending: correcting } = this.#task
    if (correcting === undefined) return
    await this.#save({ ...this.#task, rejectsNumber: number, mending: { ...correcting, rows, reasons } })
  }

  /** Recovery data are on disk before the store commits; responses read from now on are not cached. */
  async noteCommit({
    token,
    counts,
    kept,
    changes,
    mended: corrected,
    columns,
    messages,
  }: CommitNote): Promise<void> {
    const { layer } = this.#task
    const { load } = this.#run
    if (load === undefined) throw new Error(`Task ${this.#task.id} commits a load that was not recorded`)
    await this.#save({
      ...this.#task,
      run: {
        ...this.#run,
        load: {
          ...load,
          token,
          counts,
          kept: kept ?? load.kept,
          changes: changes ?? load.changes,
          mended: corrected ?? load.mended,
        },
      },
      layer: layer === undefined ? this.#task.layer : { ...layer, loaded: columns },
      // A dry run has already reported some of these messages.
      messages: [...this.#task.messages, ...messages.filter((one) => !tells(this.#task, one))],
    })
    passStep('load.noted')
    await this.#announce(load)
    passStep('load.announced')
  }

  async noteTouch(mark: string): Promise<void> {
    await this.#announce(this.#run.load, mark)
    passStep('load.touched')
  }

  async #announce(load: TaskLoad | undefined, mark?: string): Promise<void> {
    if (load === undefined) return
    const { loadId, storeId, table, layerName: name, isNewLayer } = load
    const refreshed = isNewLayer ? {} : { layer: { workspace: this.record.workspace, name } }
    const change = { storeId, table, ...refreshed, mark }
    await this.#deps.catalog.layers.announceChange(change, loadId)
  }

  /** A load did not commit: its target is unchanged. */
  async forgetLoad({ loadId }: TaskLoad): Promise<void> {
    await this.#deps.catalog.layers.giveUpChange(loadId)
  }

  /** Publishes the layer and completes the task in one transaction. */
  async publish({ task, publishedTable, published, makeStore, tidy }: TaskPublication): Promise<void> {
    this.#task = await publishTask(this.#deps, this.record, task, publishedTable, published, makeStore)
    await tidy?.()
  }

  /** Marks the commit status as unknown while `work` determines it, and if `work` fails. */
  async settle<T>(work: () => Promise<T>): Promise<T> {
    this.#isUnsettled = true
    const result = await work()
    this.#isUnsettled = false
    return result
  }

  async cancel(): Promise<void> {
    if (isCorrecting(this.#task)) return this.#endSubmission({ state: 'CANCELED' })
    await this.#save(this.#withoutRun(taskAfter(this.#task, { type: 'canceled' })))
  }

  async fail(reason: string, errorCode?: string): Promise<void> {
    if (isCorrecting(this.#task))
      return this.#endSubmission({ state: 'ERROR', errorMessage: reason, errorCode })
    const failed = taskAfter(this.#task, { type: 'failed' })
    const stopped = errorCode === 'stopped' ? failed.trial?.found?.stopped : undefined
    const reported = { errorMessage: reason, errorCode, stopped }
    await this.#save({ ...this.#withoutRun(failed), ...defined(reported) })
  }

  /** Sets the task back to complete, its state before corrected rows were uploaded. */
  async #endSubmission(end: Parameters<typeof correctionEnded>[1]): Promise<void> {
    await this.#save(this.#withoutRun(correctionEnded(this.#task, end)))
  }

  get #jobId(): number {
    return this.#task.run?.jobId ?? 0
  }

  get #run(): NonNullable<TaskRecord['run']> {
    return { jobId: 0, attempt: 1, ...this.#task.run }
  }

  /** Returns the task after its run; a load with unknown commit status stays recorded. */
  #withoutRun({ run, ...task }: TaskRecord): TaskRecord {
    return this.#isUnsettled && run?.load !== undefined ? { ...task, unsettled: run.load } : task
  }

  async #save(task: TaskRecord): Promise<void> {
    this.#task = await saveTaskAndPublish(this.#deps, this.#deps.database.kysely, task)
  }
}

function tells({ messages }: TaskRecord, { code, message }: FormatMessage): boolean {
  return messages.some((one) => one.code === code && one.message === message)
}
