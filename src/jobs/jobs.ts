import type { Queryable } from '../db/connection.ts'

export type JobPayload = Record<string, unknown>

export interface JobContext {
  jobId: number
  /** From 1; above 1 after a crash or kill. */
  attempt: number
  /** Aborts when the job is cancelled or the server stops. */
  signal: AbortSignal
}

/** What does the work of one kind of job. */
export interface JobHandler {
  /** How often the job may die with its process; default 3. */
  maxAttempts?: number
  run(payload: JobPayload, context: JobContext): Promise<void>
  /** The job died with its process too often and is given up. */
  abandoned(payload: JobPayload, reason: string): Promise<void>
}

export interface NewJob {
  kind: string
  /** Jobs of one key run one after the other; empty for none. */
  key: string
  payload: JobPayload
}

/** The reason a job's signal carries when the server stops: the job is taken up again at the next start. */
export class ServerStopping extends Error {
  constructor() {
    super('The server is stopping')
    this.name = 'ServerStopping'
  }
}

/** The reason a job's signal carries when another process has taken it over, since this one was not heard of. */
export class LeaseLost extends Error {
  constructor() {
    super('Another process has taken the work over')
    this.name = 'LeaseLost'
  }
}

/**
 * A durable queue. A job is kept from `enqueue` until it ends, survives kill -9, and is run again from its start when
 * its process died, as often as its handler allows.
 */
export interface Jobs {
  /** Writes a job in the caller's transaction; call `wake` after it has been committed. */
  enqueue(db: Queryable, job: NewJob): Promise<number>
  wake(): void
  /** Ends when the job has; throws the signal's reason when that aborts first. The job goes on then. */
  wait(jobId: number, signal: AbortSignal): Promise<void>
  /** Removes a job that has not begun; false when it has, or has ended. */
  withdraw(jobId: number): Promise<boolean>
  /** Whether another process works on it and lives. */
  isHeldByOther(jobId: number): Promise<boolean>
  /** Takes up what earlier processes left and starts to work. */
  start(handlers: Record<string, JobHandler>): Promise<void>
  /** Takes no new job, gives running ones the time to end, aborts the rest; ends within 10 seconds. */
  stop(): Promise<void>
}

export const defaultMaxAttempts = 3
