import { Failure } from '../../../lib/errors.ts'
import { escapeXml } from '../../../lib/text/escape-xml.ts'
import type { FastifyReply } from '../../app-types.ts'
import { toProblem } from '../../errors.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Parameters that failures tell of which tell themselves otherwise. */
const locators = new Map([
  ['unknown-style', 'Style'],
  ['invalid-time', 'Time'],
])

interface Told {
  status: number
  named: string
  text: string
  locator?: string | undefined
}

function tell(error: unknown, requestId: string): Told {
  if (error instanceof OwsFailure) {
    const { status, code: named, message: text, locator } = error
    return { status, named, text, locator }
  }
  const { status, code, detail } = toProblem(error, requestId)
  const locator = locators.get(code)
  if (locator !== undefined) return { status: 400, named: 'InvalidParameterValue', text: detail, locator }
  return { status, named: 'NoApplicableCode', text: detail }
}

/** The exception report of WMTS (OGC 06-121r3, section 8; 07-057r7, section 7.2.4) in place of an answer. */
export function sendException(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, named, text, locator } = tell(error, reply.request.id)
  if (status >= 500) noteFailure(reply, error)
  if (error instanceof Failure && error.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(error.retryAfterSeconds))
  reply.header('cache-control', 'no-store')
  const where = locator === undefined ? '' : ` locator="${escapeXml(locator)}"`
  const exception = `<ows:Exception exceptionCode="${escapeXml(named)}"${where}><ows:ExceptionText>${escapeXml(text)}</ows:ExceptionText></ows:Exception>`
  const head =
    '<ows:ExceptionReport version="1.1.0" xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsExceptionReport.xsd">'
  return reply
    .code(status)
    .header('content-type', 'text/xml; charset=utf-8')
    .send(`<?xml version="1.0" encoding="UTF-8"?>\n${head}${exception}</ows:ExceptionReport>\n`)
}

/** What the server itself has failed at is logged, and counted as an exception of its class. */
function noteFailure({ request, log }: FastifyReply, error: unknown): void {
  request.exception = error
  log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed')
}
