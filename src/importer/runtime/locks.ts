import { WorkQueue } from '../../lib/workers/work-queue.ts'

/** Mutex for each key; waiters run in the order of their calls. */
export class ImportLocks {
  readonly #queue = new WorkQueue()

  /**
   * Runs work under the lock. Aborting `signal` removes a waiter from the queue; running work must handle the
   * signal itself.
   */
  hold<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#queue.run(work, { key, signal })
  }

  /** Serializes edits of one import. */
  ofImport<T>(importId: number, work: () => Promise<T>): Promise<T> {
    return this.hold(`import ${importId}`, work)
  }
}
