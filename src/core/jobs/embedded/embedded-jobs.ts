import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { isCatalogueAway } from '../../db/errors.ts'
import { explain, Failure } from '../../errors/errors.ts'
import type { EventBus } from '../../events/events.ts'
import type { Logger } from '../../log/logger.ts'
import type { Clock } from '../../time/clock.ts'
import type { JobHandler, Jobs } from '../jobs.ts'
import { defaultMaxAttempts, LeaseLost, ServerStopping } from '../jobs.ts'
import type { JobRecord } from './job-repository.ts'
import {
  claimJobs,
  deleteJob,
  deleteQueuedJob,
  hasJob,
  insertJob,
  isHeldByOther,
  listOwnJobs,
  listStaleJobs,
  renewLeases,
  requeueJob,
  takeJob,
} from './job-repository.ts'

export interface EmbeddedJobsDeps {
  database: Database
  clock: Clock
  events: EventBus
  log: Logger
  /** Maximum number of concurrent jobs. */
  concurrency: number
  /** Time without a sign of life after which other processes take over; default 12 seconds. */
  leaseSeconds?: number
  /** Time that `stop` waits for running jobs before it aborts them; default 7 seconds. */
  graceMs?: number
}

const usualRenewMs = 3_000
const pollMs = 250
const graceMs = 7_000
const abortMs = 2_500

interface RunningJob {
  job: JobRecord
  abort: AbortController
  ended: Promise<void>
}

/** Jobs stored in the catalogue database and run in this process. */
export class EmbeddedJobs implements Jobs {
  readonly #deps: EmbeddedJobsDeps & { database: Database & { leaseSeconds?: number } }
  readonly #owner = randomUUID()
  readonly #running = new Map<number, RunningJob>()
  /** Jobs whose end could not be stored, because the database was unreachable or full. */
  readonly #stranded = new Map<number, JobRecord>()
  readonly #ended = new EventEmitter().setMaxListeners(0)
  #handlers: Record<string, JobHandler> = {}
  #timer: NodeJS.Timeout | undefined
  readonly #stopped = new AbortController()
  #isAccepting = false
  #filling: Promise<void> | undefined
  #needsFill = false

  constructor(deps: EmbeddedJobsDeps) {
    this.#deps = { ...deps, database: { ...deps.database, leaseSeconds: deps.leaseSeconds } }
  }

  enqueue(db: Parameters<Jobs['enqueue']>[0], job: Parameters<Jobs['enqueue']>[1]): Promise<number> {
    return insertJob(db, job, this.#now())
  }

  async start(handlers: Record<string, JobHandler>): Promise<void> {
    this.#handlers = handlers
    this.#isAccepting = true
    await this.#takeOver({ isExpired: !this.#isAlone() })
    this.#timer = setInterval(() => this.#tick(), this.#renewMs()).unref()
    this.wake()
  }

  wake(): void {
    this.#needsFill = true
    this.#filling ??= this.#fillAll().finally(() => {
      this.#filling = undefined
    })
  }

  async wait(jobId: number, given: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([given, this.#stopped.signal])
    while (await hasJob(this.#deps.database.kysely, jobId)) {
      const ended = once(this.#ended, String(jobId), { signal })
      const poll = delay(pollMs, undefined, { signal })
      await Promise.race([ended, poll]).catch(() => signal.throwIfAborted())
    }
  }

  withdraw(jobId: number): Promise<boolean> {
    return deleteQueuedJob(this.#deps.database.kysely, jobId)
  }

  async isHeldByOther(jobId: number): Promise<boolean> {
    return !this.#isAlone() && isHeldByOther(this.#deps.database, jobId, this.#owner)
  }

  async stop(): Promise<void> {
    this.#isAccepting = false
    clearInterval(this.#timer)
    await this.#filling
    const ended = (): Promise<unknown> => Promise.all([...this.#running.values()].map((one) => one.ended))
    await Promise.race([ended(), delay(this.#deps.graceMs ?? graceMs, undefined, { ref: false })])
    for (const { abort } of this.#running.values()) abort.abort(new ServerStopping())
    await Promise.race([ended(), delay(abortMs, undefined, { ref: false })])
    this.#stopped.abort(
      new Failure('unavailable', 'server-stopping', 'The server stops: the work goes on at its next start'),
    )
  }

  #tick(): void {
    renewLeases(this.#deps.database, this.#owner)
      .then(() => this.#restoreStranded())
      .then(() => this.#leaveLost())
      .then(() => this.#takeOver({ isExpired: true }))
      .then(() => this.wake())
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'job leases could not be renewed'))
  }

  /** Aborts jobs that another process has taken over in the meantime. */
  async #leaveLost(): Promise<void> {
    const before = [...this.#running.values()]
    const own = new Set(await listOwnJobs(this.#deps.database.kysely, this.#owner))
    for (const { job, abort } of before) if (!own.has(job.id)) abort.abort(new LeaseLost())
  }

  async #takeOver({ isExpired }: { isExpired: boolean }): Promise<void> {
    const { database, log } = this.#deps
    const taker = { owner: this.#owner, isExpired }
    for (const job of await listStaleJobs(database, taker)) {
      if (!(await takeJob(database, job, taker))) continue
      log.warn({ jobId: job.id, kind: job.kind, attempts: job.attempts }, 'job taken over')
      const most = this.#handlers[job.kind]?.maxAttempts ?? defaultMaxAttempts
      if (job.attempts < most) await requeueJob(database.kysely, this.#mine(job), false)
      else await this.#giveUp(job)
    }
  }

  async #giveUp(job: JobRecord): Promise<void> {
    const reason = `It was begun ${job.attempts} times and the server died each time`
    await this.#handlers[job.kind]?.abandoned(job.payload, reason)
    await deleteJob(this.#deps.database.kysely, this.#mine(job))
  }

  async #fillAll(): Promise<void> {
    while (this.#needsFill && this.#isAccepting) {
      this.#needsFill = false
      await this.#fill().catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'jobs could not be taken from the queue'),
      )
    }
  }

  async #fill(): Promise<void> {
    const free = this.#deps.concurrency - this.#running.size
    if (free < 1) return
    for (const job of await claimJobs(this.#deps.database, this.#owner, free)) this.#begin(job)
  }

  #begin(job: JobRecord): void {
    const abort = new AbortController()
    const ended = this.#execute(job, abort.signal).finally(() => {
      this.#running.delete(job.id)
      this.#ended.emit(String(job.id))
      this.wake()
    })
    this.#running.set(job.id, { job, abort, ended })
  }

  async #execute(job: JobRecord, signal: AbortSignal): Promise<void> {
    const { database, log } = this.#deps
    try {
      await this.#attempt(job, signal)
      await deleteJob(database.kysely, this.#mine(job))
    } catch (error) {
      if (!signal.aborted) {
        log.error({ err: error, jobId: job.id, kind: job.kind }, 'job could not be ended')
      }
      if (signal.aborted) await requeueJob(database.kysely, this.#mine(job), true).catch(() => undefined)
      else this.#stranded.set(job.id, job)
    }
  }

  /** Runs jobs again whose end could not be stored, after a pause. */
  async #restoreStranded(): Promise<void> {
    for (const [id, job] of this.#stranded) {
      await requeueJob(this.#deps.database.kysely, this.#mine(job), true)
      this.#stranded.delete(id)
    }
  }

  /**
   * Runs the handler. A failure is passed to the handler; a server stop or the loss of the lease is rethrown.
   */
  async #attempt(job: JobRecord, signal: AbortSignal): Promise<void> {
    const handler = this.#handlers[job.kind]
    if (handler === undefined) throw new Error(`Nothing does jobs of kind "${job.kind}"`)
    try {
      await handler.run(job.payload, { jobId: job.id, attempt: job.attempts, signal })
    } catch (error) {
      // If the result cannot be stored now, the job is not abandoned: it runs again when the database is
      // back.
      if (signal.aborted || isCatalogueAway(error)) throw error
      this.#deps.log.error({ err: error, jobId: job.id, kind: job.kind }, 'job failed')
      this.#deps.events.emit('exception.caught', { error, where: `job ${job.kind}` })
      await handler.abandoned(job.payload, explain(error))
    }
  }

  /** A lease outlasts at least two renewals. */
  #renewMs(): number {
    const { leaseSeconds } = this.#deps
    return leaseSeconds === undefined ? usualRenewMs : Math.min(usualRenewMs, (leaseSeconds * 1000) / 3)
  }

  /** An embedded database has no other process. */
  #isAlone(): boolean {
    return this.#deps.database.kind === 'sqlite'
  }

  #mine({ id }: JobRecord): { id: number; owner: string } {
    return { id, owner: this.#owner }
  }

  #now(): string {
    return this.#deps.clock.now().toISOString()
  }
}
