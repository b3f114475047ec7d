import type { Queryable } from '../db/connection.ts'

export type JobPayload = Record<string, unknown>

export interface JobContext {
  jobId: number
  /** From 1; above 1 after a crash or kill. */
  attempt: number
  /** Aborts when the job is canceled or the server stops. */
  signal: AbortSignal
}

/** Runs the jobs of one kind. */
export interface JobHandler {
  /** Maximum number of attempts if the process crashes; default 3. */
  maxAttempts?: number
  run(payload: JobPayload, context: JobContext): Promise<void>
  /** Called when the process of the job has crashed too often and the job is abandoned. */
  abandoned(payload: JobPayload, reason: string): Promise<void>
}

export interface NewJob {
  kind: string
  /** Jobs with the same key run in sequence; empty for none. */
  key: string
  payload: JobPayload
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

/**
 * A durable queue. A job is stored from `enqueue` until it ends, survives kill -9, and runs again from its
 * start if its process crashed, as often as its handler allows.
 */
export interface Jobs {
  /** Inserts a job in the caller's transaction; call `wake` after the commit. */
  enqueue(db: Queryable, job: NewJob): Promise<number>
  wake(): void
  /**
   * Resolves when the job has ended; throws the abort reason if the signal aborts first, while the job
   * continues.
   */
  wait(jobId: number, signal: AbortSignal): Promise<void>
  /** Removes a job that has not started; false if it has started or ended. */
  withdraw(jobId: number): Promise<boolean>
  /** True if another live process is running it. */
  isHeldByOther(jobId: number): Promise<boolean>
  /** Recovers jobs of earlier processes and starts processing. */
  start(handlers: Record<string, JobHandler>): Promise<void>
  /** Accepts no new jobs, lets running ones end, aborts the rest; resolves within 10 seconds. */
  stop(): Promise<void>
}

export const defaultMaxAttempts = 3
