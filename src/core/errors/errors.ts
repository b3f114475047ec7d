import { plainReason } from './plain-reason.ts'

/** Kinds of failures that a caller can act on; each has an HTTP status. */
const failureKinds = [
  'invalid', // the input is wrong: 400
  'unauthenticated', // 401
  'forbidden', // 403
  'notFound', // 404
  'notAllowed', // the path exists, not for this method: 405
  'notAcceptable', // none of what the client takes: 406
  'conflict', // wrong state: 409
  'precondition', // If-Match failed: 412
  'tooLarge', // 413
  'mediaType', // 415
  'tooMany', // 429
  'unavailable', // an outside system is down: 503
] as const
/** Category of a failure, which decides the HTTP status. */
export type FailureKind = (typeof failureKinds)[number]

/** Details of a failure besides its message. */
export interface FailureOptions {
  /** Further messages, one per problem; default: only the message. */
  errors?: string[]
  /** Seconds after which a retry is useful. */
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * A failure that a caller can act on. `code` is stable and documented (kebab-case, such as
 * `unknown-workspace`). The message says what was expected, what was found and where. A bug is a plain
 * `Error`.
 */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly code: string
  readonly errors: string[]
  declare readonly retryAfterSeconds?: number

  constructor(kind: FailureKind, code: string, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Failure'
    this.kind = kind
    this.code = code
    this.errors = options.errors ?? [message]
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Messages by field of a request; messages about several fields have the key `__all__`. */
export type FieldMessages = Record<string, string[]>

/** A failure with messages for single fields. */
export class FieldFailure extends Failure {
  readonly fields: FieldMessages

  constructor(
    fields: FieldMessages,
    { kind = 'invalid', code = 'invalid-fields' }: FieldFailureOptions = {},
  ) {
    const errors = Object.entries(fields).flatMap(([name, messages]) =>
      messages.map((message) => (name === '__all__' ? message : `${name}: ${message}`)),
    )
    super(kind, code, errors[0] ?? 'The request is not valid', { errors })
    this.name = 'FieldFailure'
    this.fields = fields
  }
}

/** Options of a `FieldFailure`; default: kind `invalid` with the code `invalid-fields`. */
export interface FieldFailureOptions {
  kind?: FailureKind
  code?: string
}

/** A wrong input: `invalid('unknown-workspace', 'Workspace "x" does not exist')`. */
export function invalid(code: string, message: string, options: FailureOptions = {}): Failure {
  return new Failure('invalid', code, message, options)
}

/** An unknown id or name. */
export function notFound(code: string, message: string): Failure {
  return new Failure('notFound', code, message)
}

/** Returns a failure for a request that the current state does not allow. */
export function conflict(code: string, message: string, options: FailureOptions = {}): Failure {
  return new Failure('conflict', code, message, options)
}

/**
 * Returns the messages of an error and its causes for users, joined by newlines, without repetitions.
 * Messages of the system or a driver are replaced by plain words. Causes below a `Failure`, whose message is
 * complete, appear in the log only.
 */
export function explain(error: unknown): string {
  const messages: string[] = []
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 10; depth += 1) {
    const reason = at instanceof Failure ? undefined : plainReason(at)
    const message = reason ?? (at instanceof Error ? at.message : String(at))
    if (message !== '' && !messages.some((output) => output.includes(message))) messages.push(message)
    if (reason !== undefined || !(at instanceof Error)) break
    const isComplete = at instanceof Failure && !(at.cause instanceof Failure)
    at = isComplete && plainReason(at.cause) !== undefined ? undefined : at.cause
  }
  return messages.join('\n')
}
