import type { Dialect } from '../config/settings.ts'
import type { FailureKind, FieldMessages } from '../lib/errors.ts'
import { Failure, FieldFailure } from '../lib/errors.ts'
import type { Logger } from '../lib/logger.ts'
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

/** Any error as a problem; what a client cannot act on says the request's id and nothing else. */
export function toProblem(error: unknown, requestId: string): Problem {
  if (error instanceof Failure) {
    const { kind, code, message, errors } = error
    return {
      ...{ status: statusOfKind[kind], code, detail: cut(message), errors: errors.map(cut) },
      ...(error instanceof FieldFailure ? { fields: cutFields(error.fields) } : {}),
    }
  }
  const { statusCode, code, message } = libraryError(error)
  if (statusCode >= 400 && statusCode < 500)
    return {
      status: statusCode,
      code: ownValue(codeOfLibrary, code) ?? 'bad-request',
      detail: message,
      errors: [message],
    }
  const detail = `The server failed; its log says more under request id ${requestId}`
  return { status: 500, code: 'internal-error', detail, errors: [detail] }
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
export function answerFailures(app: App, log: Logger, write: ProblemWriter): void {
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = error instanceof Failure ? error : app.explainError(error)
    const problem = toProblem(known ?? error, request.id)
    if (problem.status >= 500) {
      request.exception = error
      const { id: requestId, method, routeOptions } = request
      const about = { requestId, method, route: routeOptions.url }
      // What is only to be asked again later comes in crowds, and its stack says nothing.
      if (known instanceof Failure && known.retryAfterSeconds !== undefined && known.cause === undefined)
        log.warn({ ...about, code: known.code }, 'request put off')
      else log.error({ err: error, ...about }, 'request failed')
    }
    // What was said of the answer that there would have been.
    reply.removeHeader('etag').removeHeader('cache-control')
    // Who may read something else gets another answer.
    if (request.routeOptions.config?.isPublicRead === true) keepPrivately(reply)
    if (problem.status === 401) reply.header('www-authenticate', challengeFor(reply.request))
    if (error instanceof Failure && error.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(error.retryAfterSeconds))
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
