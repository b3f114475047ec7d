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

/** What this process is working on: preparations by import, loads by import and task. */
export class RunningTable {
  readonly #entries = new Map<string, Entry>()

  /** Notes work that begins; its signal also follows `outer`. Call `end` in `finally`. */
  begin(importId: number, outer: AbortSignal, taskId?: number): RunningWork {
    const key = keyOf(importId, taskId)
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
  async cancel(importId: number, taskId?: number): Promise<boolean> {
    const entry = this.#entries.get(keyOf(importId, taskId))
    if (entry === undefined) return false
    entry.abort.abort(new LoadCanceled())
    await entry.ended
    return true
  }
}

function keyOf(importId: number, taskId: number | undefined): string {
  return taskId === undefined ? String(importId) : `${importId}/${taskId}`
}
