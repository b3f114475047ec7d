/** The reason that a cancelled load's signal carries. */
export class LoadCanceled extends Error {
  constructor() {
    super('The load was cancelled')
    this.name = 'LoadCanceled'
  }
}

export interface RunningWork {
  signal: AbortSignal
  end(): void
}

interface Entry {
  abort: AbortController
  ended: Promise<void>
}

/** What this process is working on: preparations by import, loads by import and task, fetches for uploads. */
export class RunningTable {
  readonly #entries = new Map<string, Entry>()
  #fetchCount = 0

  /** Notes work that begins; its signal also follows `outer`. Call `end` in `finally`. */
  begin(importId: number, outer: AbortSignal, taskId?: number): RunningWork {
    return this.#begin(keyOf(importId, taskId), outer)
  }

  /** Notes a fetch that an upload waits for; an import may have several. */
  beginFetch(importId: number, outer: AbortSignal): RunningWork {
    this.#fetchCount += 1
    return this.#begin(`${fetchPrefix(importId)}${this.#fetchCount}`, outer)
  }

  #begin(key: string, outer: AbortSignal): RunningWork {
    const abort = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#entries.set(key, { abort, ended: promise })
    const end = (): void => {
      this.#entries.delete(key)
      resolve()
    }
    return { signal: AbortSignal.any([outer, abort.signal]), end }
  }

  /** Cancels the work and waits for its end; false when there is none. */
  cancel(importId: number, taskId?: number): Promise<boolean> {
    return this.#cancel(keyOf(importId, taskId))
  }

  /** Cancels the fetches for uploads to an import and waits for their end. */
  async cancelFetches(importId: number): Promise<void> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(fetchPrefix(importId)))
    await Promise.all(keys.map((key) => this.#cancel(key)))
  }

  async #cancel(key: string): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    entry.abort.abort(new LoadCanceled())
    await entry.ended
    return true
  }
}

function fetchPrefix(importId: number): string {
  return `${importId}/fetch `
}

function keyOf(importId: number, taskId: number | undefined): string {
  return taskId === undefined ? String(importId) : `${importId}/${taskId}`
}
