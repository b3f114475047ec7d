import type { DataFile, Message } from '../../formats/format.ts'
import { FormatError } from '../../formats/format.ts'
import type { FailureKind } from '../../lib/errors.ts'
import { Failure } from '../../lib/errors.ts'
import type { DatabaseConnection, DescribedDatabase } from '../../sources/database/database.ts'
import type { DescribedFile } from '../described-file.ts'
import type { LoadOutcome, LoadPlan, LoadProgress } from './load-plan.ts'

/** An error in the form that crosses threads. */
export interface ErrorData {
  name: string
  message: string
  code?: string
  kind?: FailureKind
  errors?: string[]
  stack?: string
  cause?: ErrorData
}

/** What a database holds, and the format that its tables are shown to have. */
export interface DatabaseDescription extends DescribedDatabase {
  format: string
}

/** What the server asks of a worker. Only one `describe` or `load` is under way in a worker. */
export type Order =
  | { type: 'describe'; file: DataFile; charset?: string }
  | {
      type: 'describe-database'
      connection: DatabaseConnection
      tables?: readonly string[]
      maxTables: number
    }
  | { type: 'load'; plan: LoadPlan }
  | { type: 'abort' }
  /** The answer to `committing`. */
  | { type: 'commit' }
  | { type: 'refuse'; error: ErrorData }

/** What a worker tells. */
export type Report =
  | { type: 'ready' }
  | { type: 'progress'; progress: LoadProgress }
  | { type: 'message'; message: Message }
  /** Everything is staged; the worker waits for `commit` or `refuse`. */
  | { type: 'committing'; token: string; outcome: LoadOutcome }
  | { type: 'described'; described: DescribedFile }
  | { type: 'database-described'; described: DatabaseDescription }
  | { type: 'loaded'; outcome: LoadOutcome }
  | { type: 'failed'; error: ErrorData }

export function toErrorData(error: unknown): ErrorData {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error instanceof Failure ? { kind: error.kind, errors: error.errors } : {}),
    ...(cause === undefined || cause === null ? {} : { cause: toErrorData(cause) }),
  }
}

export function fromErrorData(data: ErrorData): Error {
  const cause = data.cause === undefined ? undefined : fromErrorData(data.cause)
  const options = cause === undefined ? {} : { cause }
  const { name, message, code = '' } = data
  if (name === 'Failure' && data.kind !== undefined) {
    return new Failure(data.kind, code, message, { ...options, errors: data.errors ?? [message] })
  }
  if (name === 'FormatError') return new FormatError(message, { ...options, code })
  const error = new Error(message, options)
  error.name = name
  if (code !== '') Object.assign(error, { code })
  if (data.stack !== undefined) error.stack = data.stack
  return error
}
