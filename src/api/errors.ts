import type { Dialect } from '../core/config/settings.ts'
import type { FailureKind, FieldMessages } from '../core/errors/errors.ts'
import { Failure, FieldFailure, invalid } from '../core/errors/errors.ts'
import { STATUS_CODES } from '../core/network/node-http.ts'
import { activeSpan } from '../core/telemetry/tracing.ts'
import { ownValue } from '../core/values/record-keys.ts'
import type { App, FastifyReply, FastifyRequest } from './app-types.ts'
import { keepPrivately } from './caching.ts'
import { hidesErrors } from './compat/dialect.ts'

/** HTTP statuses by kind of failure. */
const statusOfKind: Record<FailureKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  notAllowed: 405,
  notAcceptable: 406,
  conflict: 409,
  precondition: 412,
  tooLarge: 413,
  mediaType: 415,
  tooMany: 429,
  unavailable: 503,
}

const maxMessageLength = 4000

/** `Retry-After` of a 503 whose failure has none. */
const usualRetrySeconds = 10

/** Failures of the HTTP library that a client can act on. */
const codeOfLibrary: Record<string, string> = {
  FST_ERR_BAD_URL: 'malformed-path',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'wrong-content-length',
  FST_REQ_FILE_TOO_LARGE: 'body-too-large',
}

/** A failed request, before an area formats the response. */
export interface HttpProblem {
  status: number
  code: string
  detail: string
  /** Undefined if the response has no such key. */
  errors: string[] | undefined
  /** The same by field, where the failure is about fields. */
  fields?: FieldMessages
  /** Seconds after which the request may succeed; every 503 has them (RFC 9110, section 10.2.3). */
  retryAfterSeconds?: number
}

/** Writes a problem as an area's error response; RFC 9457 unless the area has its own envelope. */
export type ProblemWriter = (problem: HttpProblem, reply: FastifyReply) => FastifyReply

/** Returns a writer of problems by RFC 9457. */
export function problemWriter(dialect: Dialect): ProblemWriter {
  return (problem, reply) =>
    reply
      .code(problem.status)
      .header('content-type', 'application/problem+json; charset=utf-8')
      .send({
        type: 'about:blank',
        title: STATUS_CODES[problem.status] ?? 'Error',
        status: problem.status,
        detail: problem.detail,
        code: problem.code,
        errors: hidesErrors(dialect, reply.request) ? undefined : problem.errors,
        traceId: problem.status >= 500 ? activeSpan()?.traceId : undefined,
      })
}

/**
 * Returns any error as a problem. An outage below (the database is away, the disk is full) is a 503; an error that a client
 * cannot act on gives the request's id and nothing else.
 */
export function toHttpProblem(error: unknown, request: FastifyRequest): HttpProblem {
  const failure = findFailure(error, request)
  if (failure !== undefined) return problemOfFailure(failure)
  const { statusCode, code, message } = libraryError(error)
  if (statusCode >= 400 && statusCode < 500)
    return {
      status: statusCode,
      code: ownValue(codeOfLibrary, code) ?? 'bad-request',
      detail: message,
      errors: [message],
    }
  const detail = `The server failed: see the log entry of request ${request.id}`
  return { status: 500, code: 'internal-error', detail, errors: [detail] }
}

/** Returns the failure of an error, or the failure that a lower layer derives from it. */
function findFailure(error: unknown, { server }: FastifyRequest): Failure | undefined {
  return error instanceof Failure ? error : server.explainError(error)
}

function problemOfFailure(failure: Failure): HttpProblem {
  const { kind, code, message, errors } = failure
  const status = statusOfKind[kind]
  const seconds = failure.retryAfterSeconds ?? (status === 503 ? usualRetrySeconds : undefined)
  return {
    status,
    code,
    detail: cut(message),
    errors: errors.map(cut),
    fields: failure instanceof FieldFailure ? cutFields(failure.fields) : undefined,
    retryAfterSeconds: seconds,
  }
}

/** Sets the `Retry-After` header of an error response. */
export function tellWhenToRetry(reply: FastifyReply, { retryAfterSeconds }: HttpProblem): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
}

/**
 * Logs errors of the server, and counts them as exceptions by class. A request to be retried later is logged
 * in one line: these come in large numbers, and their stack is of no use.
 */
export function noteFailure(request: FastifyRequest, error: unknown): void {
  request.exception = error
  const { id: requestId, method, routeOptions } = request
  const about = { requestId, method, route: routeOptions.url }
  const failure = findFailure(error, request)
  if (failure?.retryAfterSeconds !== undefined && failure.cause === undefined)
    request.log.warn({ ...about, code: failure.code }, 'request put off')
  else request.log.error({ err: error, ...about }, 'request failed')
}

/** Truncates client input in messages. */
function cut(message: string): string {
  return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength)}...`
}

function cutFields(fields: FieldMessages): FieldMessages {
  return Object.fromEntries(Object.entries(fields).map(([name, messages]) => [name, messages.map(cut)]))
}

function libraryError(error: unknown): { statusCode: number; code: string; message: string } {
  const { statusCode, code, message } =
    typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  return {
    statusCode: typeof statusCode === 'number' ? statusCode : 500,
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : '',
  }
}

/** Formats the errors of an area (or, without one, of the whole server) with `write`. */
export function answerFailures(app: App, write: ProblemWriter): void {
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = toHttpProblem(error, request)
    if (problem.status >= 500) noteFailure(request, error)
    // Headers of the response that was not sent.
    reply.removeHeader('etag').removeHeader('cache-control')
    // Callers with other permissions get another response.
    if (request.routeOptions.config?.isPublicRead === true) keepPrivately(reply)
    if (problem.status === 401) reply.header('www-authenticate', challengeFor(reply.request))
    tellWhenToRetry(reply, problem)
    return write(problem, reply)
  })
}

/**
 * Returns the authentication challenge (RFC 9110, section 11.6.1). For `Basic`, browsers open a password
 * dialog before a page's script gets the response. The web interface has its own dialog, so its scripts get a
 * scheme for which browsers have none.
 */
export function challengeFor({ headers }: FastifyRequest): string {
  const isOwnScript = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-mode'] === 'cors'
  return isOwnScript ? 'Session realm="terrane"' : 'Basic realm="terrane"'
}

/** The standard behind `/ogc` has them refused (OGC 17-069r4, /req/core/query-param-unknown). */
export function unknownParameters(names: readonly string[]): Failure {
  const shown = names.map((name) => `"${name.toWellFormed()}"`)
  const plural = names.length === 1 ? 'parameter' : 'parameters'
  return invalid('unknown-parameter', `Unknown ${plural}: ${shown.join(', ')}`, {
    errors: shown.map((name) => `Unknown parameter ${name}`),
  })
}
