import type { TransferListItem } from 'node:worker_threads'
import type { Guard } from '../files/guarded-files.ts'
import type { ErrorData } from './error-codec.ts'

/** What the caller sends. */
export type ToWorker =
  /** The first of all. */
  | { type: 'start'; data: unknown; guard?: Guard | undefined }
  /** `ahead`: of a stream, how many chunks may be on their way. `beatMs`: how often it is to show that it hears. */
  | { type: 'call'; id: number; name: string; argument: unknown; ahead?: number; beatMs?: number }
  | { type: 'abort'; id: number; error: ErrorData }
  /** One chunk was taken. */
  | { type: 'more'; id: number }
  | { type: 'answer'; id: number; ask: number; value: unknown }
  | { type: 'refuse'; id: number; ask: number; error: ErrorData }

/** What a worker sends about a call. */
export type CallReport =
  | { type: 'result'; id: number; value: unknown }
  | { type: 'error'; id: number; error: ErrorData }
  | { type: 'chunk'; id: number; value: unknown }
  | { type: 'notice'; id: number; notice: unknown }
  | { type: 'beat'; id: number }
  /** Waits for `answer` or `refuse`. */
  | { type: 'ask'; id: number; ask: number; question: unknown }

/** What a worker sends. */
export type FromWorker = CallReport | { type: 'told'; notice: unknown }

/** Memory that goes over to the other thread instead of being copied. */
export type TransferList = readonly TransferListItem[]
