import { randomUUID } from 'node:crypto'
import type { Database } from '../../core/db/connection.ts'
import type { EventBus } from '../../core/events/events.ts'
import { LeaseLost, ServerStopping } from '../../core/jobs/jobs.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { RunDetails, RunEnd, RunRecord } from '../model/run.ts'
import type { SourceMemory, SourceRecord } from '../model/source.ts'
import {
  claimRun,
  deleteOldRuns,
  detailsOf,
  endRun,
  listOpenRuns,
  postponeRun,
  releaseRun,
  renewRun,
  saveDetails,
} from '../records/run-repository.ts'
import { findSourceById, setMemory } from '../records/source-repository.ts'
import { type ExecuteDeps, executeRun, failedEnd, removeFolder } from './execute-run.ts'
import { isPassing } from './run-failure.ts'

const heartbeatMs = 3000
/** Number of runs of different sources that a server executes at the same time. */
const atOnce = 4
/** A wait between attempts is at most a day. */
const maxWaitSeconds = 86_400

export interface RunnerDeps {
  database: Database
  clock: Clock
  events: EventBus
  log: Logger
  executing: ExecuteDeps
}

interface Running {
  abort: AbortController
  ended: Promise<void>
}

/**
 * Executes runs. A run belongs to the server that holds its lease, which is renewed in the time of the database;
 * after a crash another server, or the next start, continues the run. A run that does not get a lease waits.
 */
export class Runner {
  readonly #deps: RunnerDeps
  readonly #owner = randomUUID()
  readonly #running = new Map<number, Running>()
  #isStopping = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#timer = setInterval(() => void this.#renewAll(), heartbeatMs).unref()
  }

  /** Claims runs that are due, as many as fit. */
  async claim(): Promise<void> {
    const { database, clock } = this.#deps
    const now = clock.now().toISOString()
    const waiting = (await listOpenRuns(database.kysely)).filter(
      ({ id, notBefore }) => notBefore <= now && !this.#running.has(id),
    )
    for (const { id } of waiting) {
      if (this.#isStopping || this.#running.size >= atOnce) return
      // An embedded catalogue has one server: whoever else held the run is dead.
      const options = { owner: this.#owner, isExpired: database.kind === 'postgres' }
      const run = await claimRun(database, id, options, now)
      if (run !== undefined) this.#begin(run)
    }
  }

  /** Resolves when the runs of this server have ended. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /** Interrupts the runs; the next start continues them. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    for (const { abort } of this.#running.values()) abort.abort(new ServerStopping())
    await this.settled()
  }

  #begin(run: RunRecord): void {
    const abort = new AbortController()
    const ended = this.#execute(run, abort)
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error, run: run.id }, 'the result of a run of a source was not stored'),
      )
      .finally(() => this.#running.delete(run.id))
    this.#running.set(run.id, { abort, ended })
  }

  async #renewAll(): Promise<void> {
    for (const [id, { abort }] of [...this.#running]) {
      const isHeld = await renewRun(this.#deps.database, id, this.#owner).catch(() => true)
      if (!isHeld && this.#running.has(id)) abort.abort(new LeaseLost())
    }
  }

  async #execute(run: RunRecord, { signal }: AbortController): Promise<void> {
    const { database, executing } = this.#deps
    const source = await findSourceById(database.kysely, run.sourceId)
    if (source === undefined) return
    const isAutomatic = run.trigger === 'schedule' || run.trigger === 'file'
    if (!source.settings.enabled && isAutomatic) {
      await this.#end(source, run, { outcome: 'skipped', message: 'The source is switched off' })
      return
    }
    let current = run
    const save = async (details: RunDetails): Promise<void> => {
      current = { ...current, ...details }
      if (!(await saveDetails(database.kysely, this.#held(run), details))) throw new LeaseLost()
    }
    try {
      const { end, memory } = await executeRun(executing, { source, run, save, signal })
      await this.#end(source, current, end, memory)
    } catch (error) {
      await this.#fail(source, current, error, signal)
    }
  }

  async #fail(source: SourceRecord, run: RunRecord, error: unknown, signal: AbortSignal): Promise<void> {
    const { database, log, clock, executing } = this.#deps
    if (error instanceof LeaseLost) return
    if (signal.aborted) {
      if (signal.reason instanceof ServerStopping) await releaseRun(database.kysely, this.#held(run))
      return
    }
    log.warn({ err: error, source: source.name, run: run.id }, 'a run of a source failed')
    const { times, firstSeconds } = source.settings.retry
    if (!isPassing(error) || run.attempts >= times) {
      await removeFolder(executing.folder, run)
      await this.#end(source, run, failedEnd(run, error))
      return
    }
    if (run.importId !== undefined && run.isStarted !== true)
      await executing.importer.removeImport(run.importId).catch(() => undefined)
    const seconds = Math.min(firstSeconds * 2 ** run.attempts, maxWaitSeconds)
    const notBefore = new Date(clock.now().getTime() + seconds * 1000).toISOString()
    const { message, code } = failedEnd(run, error)
    const kept = run.isStarted === true ? detailsOf(run) : { ...detailsOf(run), importId: undefined }
    await postponeRun(database.kysely, this.#held(run), { notBefore, details: { ...kept, message, code } })
  }

  async #end(source: SourceRecord, run: RunRecord, end: RunEnd, memory = source.memory): Promise<void> {
    const { database, clock, events } = this.#deps
    const at = clock.now().toISOString()
    const isSuccess = end.outcome === 'loaded' || end.outcome === 'unchanged'
    const remembered: SourceMemory = isSuccess ? { ...memory, lastSuccess: at } : memory
    const isEnded = await database.transaction(async (db) => {
      if (!(await endRun(db, this.#held(run), end, at))) return false
      await setMemory(db, source.id, remembered)
      await deleteOldRuns(db, source.id)
      return true
    })
    if (isEnded) events.emit('source.ended', { source: source.name, outcome: end.outcome })
  }

  #held({ id }: RunRecord): { id: number; owner: string } {
    return { id, owner: this.#owner }
  }
}
