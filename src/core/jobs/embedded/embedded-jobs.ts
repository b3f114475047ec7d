import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Broadcast } from '../../db/broadcast.ts'
import { silence } from '../../db/broadcast.ts'
import type { Database, Queryable } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import { isCatalogueAway, isUniqueViolation } from '../../db/errors.ts'
import { Failure } from '../../errors/errors.ts'
import type { JobFilter, JobHandler, JobSchedule, Jobs, NewJob, StoredJob } from '../jobs.ts'
import { defaultMaxAttempts, JobCanceled, LeaseLost, ServerStopping } from '../jobs.ts'
import { CompletedJobs } from './completed-jobs.ts'
import type { EmbeddedJobsDeps } from './embedded-jobs-deps.ts'
import { deleteOldFailedJobs, failJob, listJobs, retryFailedJob } from './failed-jobs.ts'
import { JobLanes } from './job-lanes.ts'
import type { JobDatabase, JobError, JobRecord } from './job-repository.ts'
import {
  claimJobs,
  countRunningOfGroup,
  deleteJobs,
  deleteQueuedJob,
  hasJob,
  insertJob,
  isHeldByOther,
  jobError,
  listOwnJobs,
  listStaleJobs,
  markCanceled,
  releasePreferred,
  renewLeases,
  requeueJob,
  takeJob,
} from './job-repository.ts'
import { DelayedCall, PreferredJobs } from './preferred-jobs.ts'
import { queueOccurrences, storeSchedules } from './schedules.ts'

const usualRenewMs = 3_000
const pollMs = 250
const graceMs = 7_000
const abortMs = 2_500
/** Mean delay before claiming again after two servers claimed jobs at the same moment. */
const collisionMs = 100
const maxRetrySeconds = 3_600
const topic = 'jobs'

/** Message to the other servers; without members it means that there are jobs to claim. */
interface JobMessage {
  /** Id of a canceled job. */
  canceled?: number
  /** Time after which any server may claim a new job. */
  afterMs?: number
}

type RunningJob = { job: JobRecord; abort: AbortController; ended: Promise<void> }

/** Jobs stored in the catalogue database and run in this process. */
export class EmbeddedJobs implements Jobs {
  readonly #deps: EmbeddedJobsDeps & { database: Database & JobDatabase }
  readonly #broadcast: Broadcast
  readonly #owner: string
  readonly #ranOn: string
  readonly #lanes: JobLanes
  readonly #schedules: JobSchedule[] = []
  readonly #preferred: PreferredJobs
  /** Looks for jobs whose preference for another server has expired. */
  readonly #laterWake = new DelayedCall(() => this.wake())
  readonly #running = new Map<number, RunningJob>()
  /** Jobs whose end could not be stored: the database was unreachable or full. */
  readonly #stranded = new Map<number, JobRecord>()
  readonly #ended = new EventEmitter().setMaxListeners(0)
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #isAccepting = false
  #filling: Promise<void> | undefined
  #needsFill = false
  readonly #completed = new CompletedJobs((ids) => deleteJobs(this.#deps.database.kysely, ids, this.#owner))

  constructor(deps: EmbeddedJobsDeps) {
    this.#deps = { ...deps, database: { ...deps.database, leaseSeconds: deps.leaseSeconds } }
    this.#broadcast = deps.broadcast ?? silence
    this.#owner = deps.id ?? randomUUID()
    this.#preferred = new PreferredJobs(deps.preferenceSeconds)
    this.#ranOn = JSON.stringify({ id: this.#owner, host: hostname(), pid: process.pid })
    this.#lanes = new JobLanes({ limit: deps.concurrency, preferredLimit: deps.preferredConcurrency })
    this.#broadcast.listen(topic, (body) => this.#hear(body as JobMessage))
    this.#broadcast.onReconnect(() => this.wake())
  }

  async enqueue(db: Queryable, job: NewJob): Promise<number> {
    if (!this.#prefersHere(job.kind)) return await this.#insert(db, job)
    const reservation = this.#preferred.reserve(job.kind)
    try {
      const id = await this.#insert(db, job, { isPreferred: true })
      reservation.inserted(id)
      return id
    } catch (error) {
      reservation.cancel()
      throw error
    }
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

  list(filter: JobFilter): Promise<StoredJob[]> {
    return listJobs(this.#deps.database.kysely, filter, (kind) => this.#lanes.handlerOf(kind))
  }

  async retryFailed(jobId: number): Promise<void> {
    const findHandler = (kind: string): JobHandler | undefined => this.#lanes.handlerOf(kind)
    if (!(await retryFailedJob(this.#deps.database.kysely, jobId, findHandler))) return
    this.wake()
    this.#broadcast.tell(topic, {})
  }

  async stop(): Promise<void> {
    this.#isAccepting = false
    clearInterval(this.#timer)
    this.#laterWake.cancel()
    await this.#filling
    await this.#shareUnclaimed()
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

  #hear({ canceled, afterMs }: JobMessage): void {
    if (canceled !== undefined) this.#running.get(canceled)?.abort.abort(new JobCanceled())
    else if (afterMs === undefined) this.wake()
    else if (this.#isAccepting) this.#laterWake.request(afterMs)
  }

  /** True if this server can start a job of this kind at once, so that it is preferred for the job. */
  #prefersHere(kind: string): boolean {
    if (!this.#isAccepting || this.#isAlone()) return false
    return this.#lanes.prefers(kind, [...this.#runningKinds(), ...this.#preferred.kinds()])
  }

  /**
   * Inserts a job. The commit notifies the other servers, to claim it at once or after the preference for
   * this server has expired.
   */
  #insert(db: Queryable, job: NewJob, { isPreferred = false } = {}): Promise<number> {
    const { kind } = this.#deps.database
    const { seconds } = this.#preferred
    const message: JobMessage = isPreferred ? { afterMs: seconds * 1000 } : {}
    return insertJob(db, job, {
      at: this.#now(),
      signal: this.#broadcast.tellOnCommit(topic, message),
      preferred: isPreferred ? { owner: this.#owner, until: databaseTime(kind, seconds) } : undefined,
    })
  }

  /** Releases preferred jobs to the other servers: those of full lanes, or all when this server stops. */
  async #shareUnclaimed(): Promise<void> {
    const running = this.#runningKinds()
    const kinds = this.#preferred.kinds()
    const shared = kinds.filter((kind) => !this.#isAccepting || !this.#lanes.hasRoom(kind, running))
    const ids = this.#preferred.idsOf(shared)
    if (ids.length === 0) return
    const released = await releasePreferred(this.#deps.database.kysely, ids, this.#owner)
    this.#preferred.forget(released)
    if (released.length > 0) this.#broadcast.tell(topic, {})
  }

  #runningKinds(): string[] {
    return [...this.#running.values()].map(({ job }) => job.kind)
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
      else {
        const text = `It was begun ${job.attempts} times and the server died each time`
        await this.#giveUp(job, { text, code: 'server-died' })
      }
    }
  }

  async #giveUp(job: JobRecord, error: JobError): Promise<void> {
    await this.#lanes.handlerOf(job.kind)?.abandoned(job.payload, error.text)
    await failJob(this.#deps.database, { ...this.#mine(job), error })
  }

  /** Queues the jobs of schedules that are due, each on one of the servers. */
  async #queueDue(): Promise<void> {
    const { database } = this.#deps
    const dueCount = await queueOccurrences(database, this.#schedules, (db, job) => this.#insert(db, job))
    if (dueCount > 0) await deleteOldFailedJobs(database)
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
        const room = this.#lanes.roomOf(lane, this.#runningKinds())
        if (room.limit < 1 || room.kinds.length === 0) break
        const claim = { owner: this.#owner, ranOn: this.#ranOn, ...room }
        const jobs = await claimJobs(this.#deps.database, claim)
        this.#preferred.forget(jobs.map(({ id }) => id))
        for (const job of await this.#withinGroups(jobs)) this.#begin(job)
        if (jobs.length < room.limit) break
      }
    }
    await this.#shareUnclaimed()
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
      if (await this.#attempt(job, signal)) await this.#completed.add(job.id)
    } catch (error) {
      if (signal.reason instanceof JobCanceled) await this.#completed.add(job.id).catch(() => undefined)
      else if (signal.aborted)
        await requeueJob(database, this.#mine(job), { isRefunded: true }).catch(() => undefined)
      else {
        log.error({ err: error, jobId: job.id, kind: job.kind }, 'job could not be ended')
        this.#stranded.set(job.id, job)
      }
    }
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
      await requeueJob(database, this.#mine(job), { delaySeconds, error: jobError(error) })
      return
    }
    log.error(about, 'job failed')
    events.emit('exception.caught', { error, where: `job ${job.kind}` })
    await this.#giveUp(job, jobError(error))
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
