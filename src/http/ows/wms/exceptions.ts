import { Failure } from '../../../lib/errors.ts'
import { escapeXml } from '../../../lib/text/escape-xml.ts'
import type { FastifyReply } from '../../app-types.ts'
import { toProblem } from '../../errors.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WmsVersion } from './wms-version.ts'

/** Codes of WMS for failures that tell themselves otherwise. */
const codes = new Map([
  ['unknown-style', 'StyleNotDefined'],
  ['unknown-layer', 'LayerNotDefined'],
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

/** The service exception report of WMS (OGC 06-042, annex H; 01-068r3, annex A.3) in place of an answer. */
export function sendException(reply: FastifyReply, error: unknown, version: WmsVersion): FastifyReply {
  const { status, named, text, locator } = tell(error, reply.request.id)
  if (error instanceof Failure && error.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(error.retryAfterSeconds))
  const where = locator === undefined ? '' : ` locator="${escapeXml(locator)}"`
  const exception = `<ServiceException code="${escapeXml(named)}"${where}>${escapeXml(text)}</ServiceException>`
  return reply.code(status).header('content-type', mediaTypes[version]).send(reports[version](exception))
}

const mediaTypes: Record<WmsVersion, string> = {
  '1.1.1': 'application/vnd.ogc.se_xml; charset=utf-8',
  '1.3.0': 'text/xml; charset=utf-8',
}

const reports: Record<WmsVersion, (exception: string) => string> = {
  '1.1.1': (exception) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<ServiceExceptionReport version="1.1.1">${exception}</ServiceExceptionReport>\n`,
  '1.3.0': (exception) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<ServiceExceptionReport version="1.3.0" xmlns="http://www.opengis.net/ogc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/ogc http://schemas.opengis.net/wms/1.3.0/exceptions_1_3_0.xsd">${exception}</ServiceExceptionReport>\n`,
}
