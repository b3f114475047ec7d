import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Broadcast } from '../../db/broadcast.ts'
import { silence } from '../../db/broadcast.ts'
import type { Database } from '../../db/connection.ts'
import { isCatalogueAway, isUniqueViolation } from '../../db/errors.ts'
import { explain, Failure } from '../../errors/errors.ts'
import type { EventBus } from '../../events/events.ts'
import type { Logger } from '../../log/logger.ts'
import type { Clock } from '../../time/clock.ts'
import type { FailedJob, JobHandler, JobSchedule, Jobs, NewJob } from '../jobs.ts'
import { defaultMaxAttempts, JobCanceled, jobPriorities, LeaseLost, ServerStopping } from '../jobs.ts'
import { deleteOldFailedJobs, failJob, listFailedJobs, requeueFailedJob } from './failed-jobs.ts'
import { JobLanes } from './job-lanes.ts'
import type { JobDatabase, JobRecord } from './job-repository.ts'
import {
  claimJobs,
  countRunningOfGroup,
  deleteJobs,
  deleteQueuedJob,
  hasJob,
  hasJobOfKey,
  insertJob,
  isHeldByOther,
  listOwnJobs,
  listStaleJobs,
  markCanceled,
  renewLeases,
  requeueJob,
  takeJob,
} from './job-repository.ts'
import { listDueSchedules, storeSchedules, takeOccurrence } from './schedules.ts'

export interface EmbeddedJobsDeps {
  database: Database
  clock: Clock
  events: EventBus
  log: Logger
  /** Messages to the other servers of the database. */
  broadcast?: Broadcast
  /** Maximum number of concurrent jobs. */
  concurrency: number
  /** False for a server that queues jobs and runs none. */
  isWorking?: boolean
  /** Time without a sign of life after which other processes take over; default 12 seconds. */
  leaseSeconds?: number
  /** Time that `stop` waits for running jobs before it aborts them; default 7 seconds. */
  graceMs?: number
}

const usualRenewMs = 3_000
const pollMs = 250
const graceMs = 7_000
const abortMs = 2_500
/** Mean time before another attempt to claim jobs that two servers claimed at the same moment. */
const collisionMs = 100
const maxRetrySeconds = 3_600
const topic = 'jobs'

interface RunningJob {
  job: JobRecord
  abort: AbortController
  ended: Promise<void>
}

/** Jobs stored in the catalogue database and run in this process. */
export class EmbeddedJobs implements Jobs {
  readonly #deps: EmbeddedJobsDeps & { database: Database & JobDatabase }
  readonly #broadcast: Broadcast
  readonly #owner = randomUUID()
  readonly #lanes: JobLanes
  readonly #schedules: JobSchedule[] = []
  readonly #running = new Map<number, RunningJob>()
  /** Jobs whose end could not be stored, because the database was unreachable or full. */
  readonly #stranded = new Map<number, JobRecord>()
  readonly #ended = new EventEmitter().setMaxListeners(0)
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #isAccepting = false
  #filling: Promise<void> | undefined
  #needsFill = false
  #completed: number[] = []
  #completing: Promise<void> = Promise.resolve()

  constructor(deps: EmbeddedJobsDeps) {
    this.#deps = { ...deps, database: { ...deps.database, leaseSeconds: deps.leaseSeconds } }
    this.#broadcast = deps.broadcast ?? silence
    this.#lanes = new JobLanes(deps.concurrency)
    this.#broadcast.listen(topic, (body) => this.#hear(body as { canceled?: number }))
    this.#broadcast.onReconnect(() => this.wake())
  }

  enqueue(db: Parameters<Jobs['enqueue']>[0], job: NewJob): Promise<number> {
    return insertJob(db, job, this.#now(), this.#broadcast.tellOnCommit(topic, {}))
  }

  register(handlers: Record<string, JobHandler>, schedules: readonly JobSchedule[] = []): void {
    this.#lanes.add(handlers)
    this.#schedules.push(...schedules)
  }

  async start(handlers: Record<string, JobHandler> = {}): Promise<void> {
    this.register(handlers)
    if (this.#deps.isWorking === false) return
    this.#isAccepting = true
    await this.#takeOver({ isExpired: !this.#isAlone() })
    await storeSchedules(this.#deps.database, this.#schedules)
    await this.#queueDue()
    this.#timer = setInterval(() => this.#tick(), this.#renewMs()).unref()
    this.wake()
  }

  wake(): void {
    if (!this.#isAccepting) return
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

  async cancel(jobId: number): Promise<void> {
    if (await this.withdraw(jobId)) return
    await markCanceled(this.#deps.database.kysely, jobId)
    this.#running.get(jobId)?.abort.abort(new JobCanceled())
    this.#broadcast.tell(topic, { canceled: jobId })
  }

  async isHeldByOther(jobId: number): Promise<boolean> {
    return !this.#isAlone() && isHeldByOther(this.#deps.database, jobId, this.#owner)
  }

  listFailed(limit: number): Promise<FailedJob[]> {
    return listFailedJobs(this.#deps.database.kysely, limit)
  }

  async retryFailed(jobId: number): Promise<boolean> {
    const isQueued = await requeueFailedJob(this.#deps.database.kysely, jobId)
    if (isQueued) this.wake()
    if (isQueued) this.#broadcast.tell(topic, {})
    return isQueued
  }

  async stop(): Promise<void> {
    this.#isAccepting = false
    clearInterval(this.#timer)
    await this.#filling
    for (const { job, abort } of this.#running.values())
      if (this.#lanes.handlerOf(job.kind)?.stopsAtOnce === true) abort.abort(new ServerStopping())
    const ended = (): Promise<unknown> => Promise.all([...this.#running.values()].map((one) => one.ended))
    await Promise.race([ended(), delay(this.#deps.graceMs ?? graceMs, undefined, { ref: false })])
    for (const { abort } of this.#running.values()) abort.abort(new ServerStopping())
    await Promise.race([ended(), delay(abortMs, undefined, { ref: false })])
    this.#stopped.abort(
      new Failure('unavailable', 'server-stopping', 'The server stops: the work goes on at its next start'),
    )
  }

  #hear({ canceled }: { canceled?: number }): void {
    if (canceled === undefined) this.wake()
    else this.#running.get(canceled)?.abort.abort(new JobCanceled())
  }

  #tick(): void {
    renewLeases(this.#deps.database, this.#owner)
      .then(() => this.#restoreStranded())
      .then(() => this.#leaveLost())
      .then(() => this.#takeOver({ isExpired: true }))
      .then(() => this.#queueDue())
      .then(() => this.wake())
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'job leases could not be renewed'))
  }

  /** Aborts jobs that another process has taken over in the meantime, or that a client has canceled. */
  async #leaveLost(): Promise<void> {
    const before = [...this.#running.values()]
    const list = await listOwnJobs(this.#deps.database.kysely, this.#owner)
    const own = new Map(list.map(({ id, isCanceled }) => [id, isCanceled]))
    for (const { job, abort } of before) {
      const isCanceled = own.get(job.id)
      if (isCanceled === undefined) abort.abort(new LeaseLost())
      else if (isCanceled) abort.abort(new JobCanceled())
    }
  }

  async #takeOver({ isExpired }: { isExpired: boolean }): Promise<void> {
    const { database, log } = this.#deps
    const taker = { owner: this.#owner, isExpired }
    for (const job of await listStaleJobs(database, taker)) {
      if (!(await takeJob(database, job, taker))) continue
      log.warn({ jobId: job.id, kind: job.kind, attempts: job.attempts }, 'job taken over')
      const most = this.#lanes.handlerOf(job.kind)?.maxAttempts ?? defaultMaxAttempts
      if (job.isCanceled) await deleteJobs(database.kysely, [job.id], this.#owner)
      else if (job.attempts < most) await requeueJob(database, this.#mine(job))
      else await this.#giveUp(job, `It was begun ${job.attempts} times and the server died each time`)
    }
  }

  async #giveUp(job: JobRecord, error: string): Promise<void> {
    await this.#lanes.handlerOf(job.kind)?.abandoned(job.payload, error)
    await failJob(this.#deps.database, { ...this.#mine(job), error })
  }

  /** Queues the jobs of schedules that are due, each on one of the servers. */
  async #queueDue(): Promise<void> {
    if (this.#schedules.length === 0) return
    const { database } = this.#deps
    const due = await listDueSchedules(database)
    for (const schedule of this.#schedules) {
      if (!due.has(schedule.name)) continue
      await database.transaction(async (db) => {
        if (!(await takeOccurrence({ kysely: db, kind: database.kind }, schedule))) return
        const key = `schedule ${schedule.name}`
        if (await hasJobOfKey(db, key)) return
        const { kind } = schedule
        await this.enqueue(db, { kind, key, payload: {}, priority: jobPriorities.background })
      })
    }
    if (due.size > 0) await deleteOldFailedJobs(database)
  }

  async #fillAll(): Promise<void> {
    while (this.#needsFill && this.#isAccepting) {
      this.#needsFill = false
      await this.#fill().catch((error: unknown) => {
        if (isUniqueViolation(error)) this.#wakeSoon()
        else this.#deps.log.error({ err: error }, 'jobs could not be taken from the queue')
      })
    }
  }

  /** Another server claims jobs of the same key or group at this moment. */
  #wakeSoon(): void {
    setTimeout(() => this.wake(), collisionMs * (0.5 + Math.random())).unref()
  }

  async #fill(): Promise<void> {
    for (const lane of this.#lanes.lanes) {
      for (;;) {
        const kinds = [...this.#running.values()].map(({ job }) => job.kind)
        const room = this.#lanes.roomOf(lane, kinds)
        if (room.limit < 1 || room.kinds.length === 0) break
        const jobs = await claimJobs(this.#deps.database, { owner: this.#owner, ...room })
        for (const job of await this.#withinGroups(jobs)) this.#begin(job)
        if (jobs.length < room.limit) break
      }
    }
  }

  /** Returns jobs to the queue that exceed the limit of their group, because they were claimed at the same moment. */
  async #withinGroups(jobs: JobRecord[]): Promise<JobRecord[]> {
    const { database } = this.#deps
    const kept = [...jobs]
    for (const job of jobs.toReversed()) {
      if (job.group === '') continue
      if ((await countRunningOfGroup(database.kysely, job.group)) <= job.groupLimit) continue
      await requeueJob(database, this.#mine(job), { isRefunded: true })
      kept.splice(kept.indexOf(job), 1)
    }
    if (kept.length === 0 && jobs.length > 0) this.#wakeSoon()
    return kept
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
      if (await this.#attempt(job, signal)) await this.#complete(job)
    } catch (error) {
      if (signal.reason instanceof JobCanceled) await this.#complete(job).catch(() => undefined)
      else if (signal.aborted)
        await requeueJob(database, this.#mine(job), { isRefunded: true }).catch(() => undefined)
      else {
        log.error({ err: error, jobId: job.id, kind: job.kind }, 'job could not be ended')
        this.#stranded.set(job.id, job)
      }
    }
  }

  /** Deletes a job that has ended, in one statement with others that end while the one before is running. */
  #complete({ id }: JobRecord): Promise<void> {
    this.#completed.push(id)
    const completing = this.#completing
      .catch(() => undefined)
      .then(async () => {
        const ids = this.#completed.splice(0)
        if (ids.length > 0) await deleteJobs(this.#deps.database.kysely, ids, this.#owner)
      })
    this.#completing = completing
    return completing
  }

  /** Runs jobs again whose end could not be stored, after a pause. */
  async #restoreStranded(): Promise<void> {
    for (const [id, job] of this.#stranded) {
      await requeueJob(this.#deps.database, this.#mine(job), { isRefunded: true })
      this.#stranded.delete(id)
    }
  }

  /**
   * Runs the handler; true if the job is complete. A failure is retried or passed to the handler; a server stop or
   * the loss of the lease is rethrown.
   */
  async #attempt(job: JobRecord, signal: AbortSignal): Promise<boolean> {
    const handler = this.#lanes.handlerOf(job.kind)
    if (handler === undefined) throw new Error(`Nothing does jobs of kind "${job.kind}"`)
    try {
      await handler.run(job.payload, { jobId: job.id, attempt: job.attempts, signal })
      return true
    } catch (error) {
      // If the result cannot be stored now, the job is not abandoned: it runs again when the database is
      // back.
      if (signal.aborted || isCatalogueAway(error)) throw error
      await this.#noteFailure(job, handler, error)
      return false
    }
  }

  /** A lease outlasts at least two renewals. */
  #renewMs(): number {
    const { leaseSeconds } = this.#deps
    return leaseSeconds === undefined ? usualRenewMs : Math.min(usualRenewMs, (leaseSeconds * 1000) / 3)
  }

  async #noteFailure(job: JobRecord, { retry }: JobHandler, error: unknown): Promise<void> {
    const { log, events, database } = this.#deps
    const about = { err: error, jobId: job.id, kind: job.kind, attempts: job.attempts }
    if (retry !== undefined && job.attempts <= retry.times) {
      const delaySeconds = Math.min(retry.firstSeconds * 2 ** (job.attempts - 1), maxRetrySeconds)
      log.warn(about, `job failed, it is retried in ${delaySeconds} s`)
      await requeueJob(database, this.#mine(job), { delaySeconds, error: explain(error) })
      return
    }
    log.error(about, 'job failed')
    events.emit('exception.caught', { error, where: `job ${job.kind}` })
    await this.#giveUp(job, explain(error))
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
