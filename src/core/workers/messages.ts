import type { TransferListItem } from 'node:worker_threads'
import type { Guard } from '../files/guarded-files.ts'
import type { ErrorData } from './error-codec.ts'

/** Messages from the caller to a worker. */
export type ToWorker =
  /** The first message. */
  | { type: 'start'; data: unknown; guard?: Guard | undefined }
  /**
   * `ahead`: maximum number of stream chunks in flight. `beatMs`: interval of `beat`. `reportBegun`: send
   * `begun`.
   */
  | {
      type: 'call'
      id: number
      name: string
      argument: unknown
      ahead?: number
      beatMs?: number
      reportBegun?: boolean
    }
  | { type: 'abort'; id: number; error: ErrorData }
  /** The caller consumed one chunk. */
  | { type: 'more'; id: number }
  | { type: 'answer'; id: number; ask: number; value: unknown }
  | { type: 'refuse'; id: number; ask: number; error: ErrorData }
  /** Closes what the handlers have opened, so that another `start` can follow. */
  | { type: 'reset' }

/** Messages from a worker about a call. */
export type CallReport =
  /** The handlers are ready and the handler of this call runs now. `cpuMs`: CPU time of the worker so far. */
  | { type: 'begun'; id: number; cpuMs?: number | undefined }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'error'; id: number; error: ErrorData }
  | { type: 'chunk'; id: number; value: unknown }
  | { type: 'notice'; id: number; notice: unknown }
  | { type: 'beat'; id: number; cpuMs?: number | undefined }
  /** Waits for `answer` or `refuse`. */
  | { type: 'ask'; id: number; ask: number; query: unknown }

/** All messages from a worker. */
export type FromWorker =
  | CallReport
  | { type: 'told'; notice: unknown }
  /**
   * The handlers are ready. `tid`: thread id of the operating system, of a thread on Linux. `canReset`: it serves
   * `reset`.
   */
  | { type: 'ready'; tid?: number | undefined; canReset?: boolean }
  /** The end of a `reset`. */
  | { type: 'reset' }

/** Memory that is transferred to the other thread instead of being copied. */
export type TransferList = readonly TransferListItem[]
