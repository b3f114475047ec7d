import { conflict } from '../../core/errors/errors.ts'
import type { EventBus } from '../../core/events/events.ts'
import type { Logger } from '../../core/log/logger.ts'
import { leaveStuckWork } from '../../core/workers/leave-stuck-work.ts'

/**
 * Maximum wait for canceled work to stop, in milliseconds. Work that does not stop is abandoned, so that a
 * cancellation returns within five seconds.
 */
export const deafMs = 3500

/** Abort reason of the signal of a canceled load. */
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

/**
 * Running work of this process: preparations by import, loads by import and task, and work that requests wait
 * for.
 */
export class RunningTable {
  readonly #entries = new Map<string, Entry>()
  #requestCount = 0

  /** Registers started work; its signal also follows `outer`. Call `end` in `finally`. */
  begin(importId: number, outer: AbortSignal, taskId?: number): RunningWork {
    return this.#begin(keyOf(importId, taskId), outer)
  }

  /**
   * Registers work that a request waits for, such as a fetch or the inspection of an upload; an import may
   * have several.
   */
  async duringRequest<T>(
    importId: number,
    outer: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.#requestCount += 1
    const { signal, end } = this.#begin(`${requestPrefix(importId)}${this.#requestCount}`, outer)
    try {
      return await leaveStuckWork(work(signal), signal, deafMs)
    } catch (error) {
      if (signal.reason instanceof LoadCanceled) throw conflict('canceled', 'The work was cancelled')
      throw error
    } finally {
      end()
    }
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

  /** Cancels the work and waits for its end; false if there is none. */
  cancel(importId: number, taskId?: number): Promise<boolean> {
    return this.#cancel(keyOf(importId, taskId))
  }

  /** Cancels work that requests to an import wait for, and waits for its end. */
  async cancelRequests(importId: number): Promise<void> {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(requestPrefix(importId)))
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

function requestPrefix(importId: number): string {
  return `${importId}/request `
}

function keyOf(importId: number, taskId: number | undefined): string {
  return taskId === undefined ? String(importId) : `${importId}/${taskId}`
}

/** Reports that work was terminated from outside, or that its thread or process died. */
export function publishEnded(
  { log, events }: { log: Logger; events: EventBus },
  kind: 'load' | 'job',
  error: unknown,
): void {
  log.warn({ err: error, kind }, 'work was ended by the server')
  events.emit('work.ended', { kind })
}
