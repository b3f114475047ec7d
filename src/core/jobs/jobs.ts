import type { Queryable } from '../db/connection.ts'

export type JobPayload = Record<string, unknown>

export interface JobContext {
  jobId: number
  /** Number of the attempt, from 1; greater than 1 after a crash, a kill or a retried failure. */
  attempt: number
  /** Aborts when the job is canceled or the server stops. */
  signal: AbortSignal
}

/** Capacity of one server for a set of job kinds. */
export interface JobLane {
  name: string
  /** Maximum number of its jobs that one server runs at the same time. */
  limit: number
  /**
   * Maximum number of concurrent heavy jobs; the other slots are reserved for light ones. Default: `limit`.
   */
  heavyLimit?: number
  /**
   * A server that queues a job takes it before the others while it runs fewer jobs of the lane than this. Default:
   * `limit`.
   */
  preferredLimit?: number
}

/** Regular work that may wait: one job at a time on each server. */
export const maintenanceLane: JobLane = { name: 'maintenance', limit: 1 }

/** Runs the jobs of one kind. */
export interface JobHandler {
  /** Maximum number of attempts if the process crashes; default 3. */
  maxAttempts?: number
  /** Retries of a failed job, each after twice the previous delay; default: none. */
  retry?: { times: number; firstSeconds: number }
  /** Default: the lane of imports, whose limit is the `concurrency` of the queue. */
  lane?: JobLane
  /** True if its jobs take much longer than others of the lane. */
  isHeavy?: boolean
  /** True if jobs are aborted immediately when the server stops. */
  stopsAtOnce?: boolean
  run(payload: JobPayload, context: JobContext): Promise<void>
  /**
   * Called before a job is listed as failed: its last attempt failed, or the processes that ran it have crashed
   * too often.
   */
  abandoned(payload: JobPayload, reason: string): Promise<void>
  /**
   * Starts the work of a failed job again, as a new job. Default: the job itself runs again with its payload.
   * @throws Failure if the work cannot be repeated now
   */
  repeat?(payload: JobPayload): Promise<void>
  /** Returns what a job works on. Default: its key. */
  subjectOf?(payload: JobPayload): string
}

/** Priorities of jobs. Jobs of one priority start in the order in which they were queued. */
export const jobPriorities = {
  /** A person waits for the result. */
  interactive: 10,
  normal: 0,
  /** Nightly runs and maintenance. */
  background: -10,
} as const

export interface NewJob {
  kind: string
  /** Jobs with the same key run in sequence; empty for none. */
  key: string
  payload: JobPayload
  /** Default: `jobPriorities.normal`. */
  priority?: number
  /** On all servers together, at most `limit` jobs of one group run at the same time. */
  group?: { key: string; limit: number }
}

/** Runs jobs of a kind at regular intervals, each time on one of the servers. */
export interface JobSchedule {
  /** Name of the schedule; its jobs never overlap. */
  name: string
  kind: string
  everySeconds: number
}

/** States of jobs. Successful jobs are no longer stored. */
export const jobStates = ['queued', 'running', 'failed'] as const
export type JobState = (typeof jobStates)[number]

/** The server process that runs a job, or ran it last. */
export interface JobNode {
  id: string
  /** Name of its machine. */
  host: string
  pid: number
}

export interface StoredJob {
  id: number
  kind: string
  state: JobState
  /** Object of the work, such as `import 12`; empty if there is none. */
  subject: string
  attempts: number
  /** Message of the last attempt's failure. */
  error?: string
  errorCode?: string
  createdAt: string
  /** Time of the creation, of the last start, or of the failure. */
  changedAt: string
  /** Undefined if it has never started. */
  node?: JobNode
}

export interface JobFilter {
  state?: JobState
  /** Only jobs with smaller ids: those after this one in the list. */
  beforeId?: number
  limit: number
}

/** Abort reason of a job's signal when the server stops: the job runs again at the next start. */
export class ServerStopping extends Error {
  constructor() {
    super('The server is stopping')
    this.name = 'ServerStopping'
  }
}

/**
 * Abort reason of a job's signal when another process has taken the job over because this one did not renew
 * its lease.
 */
export class LeaseLost extends Error {
  constructor() {
    super('Another process has taken the work over')
    this.name = 'LeaseLost'
  }
}

/** Abort reason of a job's signal after `cancel`, on any server. */
export class JobCanceled extends Error {
  constructor() {
    super('The job was canceled')
    this.name = 'JobCanceled'
  }
}

/**
 * A durable queue, shared by all servers of the database. A job is stored from `enqueue` until it ends, survives
 * kill -9, and runs again from its start if its process crashed, as often as its handler allows.
 */
export interface Jobs {
  /**
   * Inserts a job in the caller's transaction, whose commit wakes the other servers; call `wake` after the
   * commit.
   */
  enqueue(db: Queryable, job: NewJob): Promise<number>
  wake(): void
  /**
   * Resolves when the job has ended; throws the abort reason if the signal aborts first, while the job
   * continues.
   */
  wait(jobId: number, signal: AbortSignal): Promise<void>
  /** Removes a job that has not started; false if it has started or ended. */
  withdraw(jobId: number): Promise<boolean>
  /**
   * Removes a job that has not started, otherwise aborts it with `JobCanceled`, on whichever server it runs.
   * Returns without waiting for its end.
   */
  cancel(jobId: number): Promise<void>
  /** True if another live process is running it. */
  isHeldByOther(jobId: number): Promise<boolean>
  /** Lists jobs, the newest first. Failed jobs are removed after 30 days. */
  list(filter: JobFilter): Promise<StoredJob[]>
  /**
   * Starts the work of a failed job again and removes it from the failed ones.
   * @throws Failure `unknown-job`, `job-not-failed`, `job-not-repeatable`, or an error of the handler's `repeat`
   */
  retryFailed(jobId: number): Promise<void>
  /** Adds kinds of jobs and their schedules; call before `start`. */
  register(handlers: Record<string, JobHandler>, schedules?: readonly JobSchedule[]): void
  /** Recovers jobs of earlier processes and starts processing, unless this server does not work. */
  start(handlers?: Record<string, JobHandler>): Promise<void>
  /** Accepts no new jobs, lets running ones end, aborts the rest; resolves within 10 seconds. */
  stop(): Promise<void>
}

export const defaultMaxAttempts = 3
