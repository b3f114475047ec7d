import type { FreeNameOptions } from '../../core/text/free-name.ts'
import { findFreeName } from '../../core/text/free-name.ts'
import { WorkQueue } from '../../core/workers/work-queue.ts'

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

/** Names reserved by running loads, so that two loads do not choose the same name. */
export class NameReservations {
  readonly #taken = new Set<string>()

  /**
   * Reserves and returns a free name similar to `requested` within `scope`; the caller must call `release`.
   */
  take(
    scope: string,
    requested: string,
    isTaken: (name: string) => Promise<boolean>,
    options: Pick<FreeNameOptions, 'fit' | 'signal'>,
  ): Promise<string> {
    const isTakenHere = async (name: string): Promise<boolean> => {
      const key = keyOf(scope, name)
      if (this.#taken.has(key)) return true
      this.#taken.add(key)
      let isFree = false
      try {
        isFree = !(await isTaken(name))
      } finally {
        if (!isFree) this.#taken.delete(key)
      }
      return !isFree
    }
    return findFreeName(requested, isTakenHere, options)
  }

  release(scope: string, name: string): void {
    this.#taken.delete(keyOf(scope, name))
  }
}

function keyOf(scope: string, name: string): string {
  return `${scope}/${name.toLowerCase()}`
}
