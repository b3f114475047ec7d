import { Failure } from '../../../lib/errors.ts'
import { escapeXml } from '../../../lib/text/escape-xml.ts'
import type { FastifyReply } from '../../app-types.ts'
import { toProblem } from '../../errors.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WfsVersion } from './wfs-version.ts'

/** Codes of WFS for failures that tell themselves otherwise; of 2.0 (OGC 09-025r2, section 7.5) alone. */
const codes = new Map([
  ['invalid-filter', 'InvalidParameterValue'],
  ['unsupported-filter', 'OperationNotSupported'],
  ['invalid-parameter', 'InvalidParameterValue'],
  ['invalid-position', 'InvalidParameterValue'],
  ['unknown-property', 'InvalidParameterValue'],
  ['unknown-crs', 'InvalidParameterValue'],
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
  return { status, named: codes.get(code) ?? 'NoApplicableCode', text: detail }
}

/** The exception report of WFS (OGC 06-121r9, section 8; of 1.1 05-008, section 8) in place of an answer. */
export function sendException(reply: FastifyReply, error: unknown, version: WfsVersion): FastifyReply {
  const { status, named, text, locator } = tell(error, reply.request.id)
  if (status >= 500) noteFailure(reply, error)
  if (error instanceof Failure && error.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(error.retryAfterSeconds))
  const where = locator === undefined ? '' : ` locator="${escapeXml(locator)}"`
  const exception = `<ows:Exception exceptionCode="${escapeXml(named)}"${where}><ows:ExceptionText>${escapeXml(text)}</ows:ExceptionText></ows:Exception>`
  const { type, head } = reports[version]
  return reply
    .code(status)
    .header('content-type', type)
    .send(`<?xml version="1.0" encoding="UTF-8"?>\n${head}${exception}</ows:ExceptionReport>\n`)
}

/** What the server itself has failed at is logged, and counted as an exception of its class. */
function noteFailure({ request, log }: FastifyReply, error: unknown): void {
  request.exception = error
  const { id: requestId, method, routeOptions } = request
  log.error({ err: error, requestId, method, route: routeOptions.url }, 'request failed')
}

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const reports: Record<WfsVersion, { type: string; head: string }> = {
  '2.0.0': {
    type: 'application/xml; charset=utf-8',
    head: `<ows:ExceptionReport version="2.0.0" xmlns:ows="http://www.opengis.net/ows/1.1" ${xsi} xsi:schemaLocation="http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsAll.xsd">`,
  },
  '1.1.0': {
    type: 'text/xml; charset=utf-8',
    head: `<ows:ExceptionReport version="1.0.0" xmlns:ows="http://www.opengis.net/ows" ${xsi} xsi:schemaLocation="http://www.opengis.net/ows http://schemas.opengis.net/ows/1.0.0/owsExceptionReport.xsd">`,
  },
}
