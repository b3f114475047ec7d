import type { Dialect } from '../config/settings.ts'
import type { FailureKind, FieldMessages } from '../lib/errors.ts'
import { Failure, FieldFailure } from '../lib/errors.ts'
import { STATUS_CODES } from '../lib/network/node-http.ts'
import { ownValue } from '../lib/own-value.ts'
import type { App, FastifyReply, FastifyRequest } from './app-types.ts'
import { keepPrivately } from './caching.ts'

/** The one table from kinds of failure to statuses. */
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

/** Of a 503 whose failure does not say when to try again. */
const usualRetrySeconds = 10

/** Failures of the HTTP library that a client can act on. */
const codeOfLibrary: Record<string, string> = {
  FST_ERR_BAD_URL: 'malformed-path',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'wrong-content-length',
  FST_REQ_FILE_TOO_LARGE: 'body-too-large',
}

/** What a failed request answers, before an area gives it its shape. */
export interface Problem {
  status: number
  code: string
  detail: string
  /** Undefined where the answer has no such key. */
  errors: string[] | undefined
  /** The same by field, where the failure is about fields. */
  fields?: FieldMessages
  /** Seconds after which the request may succeed; every 503 has them (RFC 9110, section 10.2.3). */
  retryAfterSeconds?: number
}

/** Turns a problem into the body of an area's failures; RFC 9457 unless the area has an envelope of its own. */
export type ProblemWriter = (problem: Problem, reply: FastifyReply) => FastifyReply

const writeProblem: ProblemWriter = (problem, reply) =>
  reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send({
      type: 'about:blank',
      title: STATUS_CODES[problem.status] ?? 'Error',
      status: problem.status,
      detail: problem.detail,
      code: problem.code,
      errors: problem.errors,
    })

/** Pages of older systems ask paths of their own server too, and take `errors` for a map: there it is left out. */
const writeOlderProblem: ProblemWriter = (problem, reply) => {
  const { url, is404 } = reply.request
  const isForeign = is404 && !/^\/rest(?=[/?]|$)/.test(url)
  return writeProblem(isForeign ? { ...problem, errors: undefined } : problem, reply)
}

/** Writes problems by RFC 9457. */
export function problemWriter(dialect: Dialect): ProblemWriter {
  return dialect === 'geoserver' ? writeOlderProblem : writeProblem
}

/**
 * Returns any error as a problem. An outage below (the database is away, the disk is full) is a 503; an error that a client
 * cannot act on gives the request's id and nothing else.
 */
export function toProblem(error: unknown, request: FastifyRequest): Problem {
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
  const detail = `The server failed; its log says more under request id ${request.id}`
  return { status: 500, code: 'internal-error', detail, errors: [detail] }
}

/** The failure that an error is, or is explained as by what lies below. */
function findFailure(error: unknown, { server }: FastifyRequest): Failure | undefined {
  return error instanceof Failure ? error : server.explainError(error)
}

function problemOfFailure(failure: Failure): Problem {
  const { kind, code, message, errors } = failure
  const status = statusOfKind[kind]
  const seconds = failure.retryAfterSeconds ?? (status === 503 ? usualRetrySeconds : undefined)
  return {
    ...{ status, code, detail: cut(message), errors: errors.map(cut) },
    ...(failure instanceof FieldFailure ? { fields: cutFields(failure.fields) } : {}),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  }
}

/** Sets the `Retry-After` of a problem's answer. */
export function tellWhenToRetry(reply: FastifyReply, { retryAfterSeconds }: Problem): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
}

/**
 * Logs what the server itself failed at, and counts it as an exception of its class. A request that is only to be asked
 * again later is one line: these come in crowds, and their stack says nothing.
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

/** Keeps what a client sent from coming back at full length. */
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

/** Makes an area (or, without one, the whole server) answer its failures through `write`. */
export function answerFailures(app: App, write: ProblemWriter): void {
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = toProblem(error, request)
    if (problem.status >= 500) noteFailure(request, error)
    // What was said of the answer that there would have been.
    reply.removeHeader('etag').removeHeader('cache-control')
    // Who may read something else gets another answer.
    if (request.routeOptions.config?.isPublicRead === true) keepPrivately(reply)
    if (problem.status === 401) reply.header('www-authenticate', challengeFor(reply.request))
    tellWhenToRetry(reply, problem)
    return write(problem, reply)
  })
}

/**
 * How to log in (RFC 9110, section 11.6.1). At `Basic` a browser asks for a password before a script of a page hears of the
 * answer: pages of ours ask by themselves, so their scripts are told a scheme that no browser has a dialog for.
 */
function challengeFor({ headers }: FastifyRequest): string {
  const isOwnScript = headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-mode'] === 'cors'
  return isOwnScript ? 'Session realm="terrane"' : 'Basic realm="terrane"'
}
