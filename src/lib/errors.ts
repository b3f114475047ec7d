import { plainReason } from './plain-reason.ts'

/** Kinds of failure a caller can act on; `http/errors.ts` maps each to a status. */
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
/** What went wrong, as far as whoever asked can act on it. */
export type FailureKind = (typeof failureKinds)[number]

/** What a failure may tell beside its message. */
export interface FailureOptions {
  /** Further messages, one for each thing that is wrong; default: the message alone. */
  errors?: string[]
  /** When it is worth another try. */
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * A failure a caller can act on. `code` is stable and documented (kebab-case, such as `unknown-workspace`);
 * the message says what was expected, what was found and where. A bug is a plain `Error`.
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

/** Messages for each field of a request; those about no single field stand under `__all__`. */
export type FieldMessages = Record<string, string[]>

/** A failure that tells for each field what is wrong with it. */
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

/** Of a `FieldFailure`; default: `invalid` with the code `invalid-fields`. */
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

/** Something is in the wrong state for what was asked. */
export function conflict(code: string, message: string, options: FailureOptions = {}): Failure {
  return new Failure('conflict', code, message, options)
}

/**
 * Returns the messages of an error and its causes for users, joined by newlines, each once. What the system or a driver said
 * is put into plain words; below a failure, whose message is complete, it is left to the log.
 */
export function explain(error: unknown): string {
  const messages: string[] = []
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 10; depth += 1) {
    const reason = at instanceof Failure ? undefined : plainReason(at)
    const message = reason ?? (at instanceof Error ? at.message : String(at))
    if (message !== '' && !messages.some((said) => said.includes(message))) messages.push(message)
    if (reason !== undefined || !(at instanceof Error)) break
    const isComplete = at instanceof Failure && !(at.cause instanceof Failure)
    at = isComplete && plainReason(at.cause) !== undefined ? undefined : at.cause
  }
  return messages.join('\n')
}
