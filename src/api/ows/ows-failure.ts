import { escapeXml } from '../../core/text/escape.ts'
import { crossesThreads } from '../../core/workers/error-codec.ts'
import type { FastifyReply } from '../app-types.ts'
import { challengeFor, noteFailure, tellWhenToRetry, toHttpProblem } from '../errors.ts'

/** An error of an OGC service, with a code of its standard. */
export class OwsFailure extends Error {
  readonly code: string
  /** The parameter that is wrong. */
  readonly locator: string | undefined
  readonly status: number

  constructor(code: string, message: string, locator?: string, status = 400) {
    super(message)
    this.name = 'OwsFailure'
    this.code = code
    this.locator = locator
    this.status = status
  }
}

crossesThreads(OwsFailure)

/** Exception code and locator of a failure. */
export interface NamedFailure {
  /** A code of its standard. */
  named: string
  locator?: string
  /** Default: that of the failure. */
  status?: number
}

/** A failure for an exception report; all texts are escaped. */
export interface ExceptionText {
  code: string
  text: string
  /** ` locator="…"`, or nothing. */
  locator: string
}

/**
 * Sets status and headers of an error response, and returns the content of its report. Logs errors of the
 * server, and counts them as exceptions by class.
 */
export function toExceptionText(
  reply: FastifyReply,
  error: unknown,
  nameOf: (code: string) => NamedFailure | undefined,
): ExceptionText {
  const { status, named, text, locator } = read(reply, error, nameOf)
  // The cause of an `OwsFailure` has been logged already.
  if (status >= 500 && !(error instanceof OwsFailure)) noteFailure(reply.request, error)
  if (status === 401) reply.header('www-authenticate', challengeFor(reply.request))
  reply.code(status)
  return {
    code: escapeXml(named),
    text: escapeXml(text),
    locator: locator === undefined ? '' : ` locator="${escapeXml(locator)}"`,
  }
}

/** Writes one exception of a report (OGC 06-121r9, section 8.3). */
export function owsException({ code, text, locator }: ExceptionText): string {
  return `<ows:Exception exceptionCode="${code}"${locator}><ows:ExceptionText>${text}</ows:ExceptionText></ows:Exception>`
}

function read(reply: FastifyReply, error: unknown, nameOf: (code: string) => NamedFailure | undefined) {
  if (error instanceof OwsFailure) {
    const { status, code: named, message: text, locator } = error
    return { status, named, text, locator }
  }
  const problem = toHttpProblem(error, reply.request)
  tellWhenToRetry(reply, problem)
  const { status, code, detail: text } = problem
  return { status, named: 'NoApplicableCode', locator: undefined, ...nameOf(code), text }
}
