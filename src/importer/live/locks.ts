import { WorkQueue } from '../../lib/workers/work-queue.ts'

/** Lets one at a time work under a key; the others wait in the order they came. */
export class ImportLocks {
  readonly #queue = new WorkQueue()

  /** A waiter leaves the line when `signal` aborts; work that has begun has to see to it itself. */
  hold<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#queue.run(work, { key, signal })
  }

  /** Edits of one import stand in line. */
  ofImport<T>(importId: number, work: () => Promise<T>): Promise<T> {
    return this.hold(`import ${importId}`, work)
  }
}
