import type { DataFile, Message } from '../../formats/format.ts'
import type { DatabaseConnection, DescribeOptions } from '../../sources/database/database.ts'
import type { DescribedFile } from '../described-file.ts'
import type { CrewMember } from './crew.ts'
import { Crew } from './crew.ts'
import type { LoadOutcome, LoadPlan, LoadProgress } from './load-plan.ts'
import type { DatabaseDescription, Order, Report } from './messages.ts'
import { fromErrorData, toErrorData } from './messages.ts'
import { Turns } from './turns.ts'

export interface LoadHandlers {
  signal: AbortSignal
  onProgress(progress: LoadProgress): void
  onMessage(message: Message): void
  /** Called when all is staged; the store commits when it returns, rolls back when it throws. */
  beforeCommit(token: string, outcome: LoadOutcome): Promise<void>
}

export interface LoadPool {
  /** The format and layers of a file. */
  describe(file: DataFile, options: { charset?: string; signal: AbortSignal }): Promise<DescribedFile>
  /** The tables of a database. */
  describeDatabase(connection: DatabaseConnection, options: DescribeOptions): Promise<DatabaseDescription>
  load(plan: LoadPlan, handlers: LoadHandlers): Promise<LoadOutcome>
  close(): Promise<void>
}

/** A worker that does not stop by itself after this long is ended. */
const abortMs = 1500

export interface LoadPoolOptions {
  /** Loads at the same time; the rest wait their turn. */
  concurrency: number
  /** Workers kept for the next load. */
  warm: number
}

/** One order and its answers; ends the worker when it does not stop soon after the signal. */
class Conversation<T> {
  readonly #member: CrewMember
  readonly #crew: Crew
  readonly #signal: AbortSignal

  constructor(crew: Crew, member: CrewMember, signal: AbortSignal) {
    this.#crew = crew
    this.#member = member
    this.#signal = signal
  }

  async hold(order: Order, listen: Listen<T>): Promise<T> {
    const signal = this.#signal
    let patience: NodeJS.Timeout | undefined
    let giveUp: (reason: unknown) => void = () => undefined
    const abort = (): void => {
      this.#send({ type: 'abort' })
      patience = setTimeout(() => {
        void this.#crew.dismiss(this.#member).then(() => giveUp(signal.reason))
      }, abortMs)
    }
    try {
      return await new Promise<T>((resolve, reject) => {
        giveUp = reject
        this.#member.onReport = (report) => {
          if (report.type === 'failed') {
            reject(signal.aborted ? signal.reason : fromErrorData(report.error))
            return
          }
          const result = listen(report, (answer) => this.#send(answer))
          if (result !== undefined) resolve(result)
        }
        this.#send(order)
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
      })
    } finally {
      clearTimeout(patience)
      signal.removeEventListener('abort', abort)
    }
  }

  #send(order: Order): void {
    this.#member.worker.postMessage(order)
  }
}

type Listen<T> = (report: Report, send: (order: Order) => void) => T | undefined

/** Loads in worker threads, so that the server stays free. */
export function createLoadPool(options: LoadPoolOptions): LoadPool {
  const turns = new Turns(options.concurrency)
  const crew = new Crew(options.warm)

  async function converse<T>(order: Order, signal: AbortSignal, listen: Listen<T>): Promise<T> {
    const subject = order.type === 'load' ? order.plan.connection.parameters.path : undefined
    await turns.take(signal)
    const member = crew.call(subject)
    try {
      return await new Conversation<T>(crew, member, signal).hold(order, listen)
    } finally {
      crew.rest(member)
      turns.give()
    }
  }

  return {
    describe: (file, { charset, signal }) =>
      converse<DescribedFile>(
        { type: 'describe', file, ...(charset === undefined ? {} : { charset }) },
        signal,
        (report) => (report.type === 'described' ? report.described : undefined),
      ),
    describeDatabase: (connection, { signal, ...options }) =>
      converse<DatabaseDescription>(
        { type: 'describe-database', connection, ...options },
        signal,
        (report) => (report.type === 'database-described' ? report.described : undefined),
      ),
    load: (plan, handlers) =>
      converse<LoadOutcome>({ type: 'load', plan }, handlers.signal, (report, send) => {
        if (report.type === 'loaded') return report.outcome
        if (report.type === 'progress') handlers.onProgress(report.progress)
        if (report.type === 'message') handlers.onMessage(report.message)
        if (report.type === 'committing') {
          handlers.beforeCommit(report.token, report.outcome).then(
            () => send({ type: 'commit' }),
            (error: unknown) => send({ type: 'refuse', error: toErrorData(error) }),
          )
        }
        return undefined
      }),
    close: () => crew.close(),
  }
}
