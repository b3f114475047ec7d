import { setTimeout as delay } from 'node:timers/promises'
import { WorkerEnded } from './worker-handle.ts'

/** Maximum number of attempts. */
const maxAttempts = 3
const pauseMs = 1000

/** Options of `retryEnded`. */
export interface RetryOptions {
  signal: AbortSignal
  /** True for further temporary failures, in addition to a worker killed from outside. */
  isPassing?(error: unknown): boolean
  onRetry?(error: unknown): void
}

/**
 * Repeats work, after a pause, whose worker was killed from outside, for example by the kernel for lack of
 * memory: up to three attempts. The work must be able to start again. Throws the error of the last attempt.
 */
export async function retryEnded<T>(
  work: (attempt: number) => Promise<T>,
  { signal, isPassing, onRetry }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt)
    } catch (error) {
      const passes = isEndedFromOutside(error) || isPassing?.(error) === true
      if (!passes || signal.aborted || attempt === maxAttempts) throw error
      onRetry?.(error)
      await delay(attempt * pauseMs, undefined, { signal })
    }
  }
}

/** True if a signal ended the worker that this process did not send and that its own work did not cause. */
function isEndedFromOutside(error: unknown): boolean {
  return error instanceof WorkerEnded && error.signal !== undefined && sentByOthers.includes(error.signal)
}

const sentByOthers: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']
