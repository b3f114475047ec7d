import type { FastifyReply } from '../../app-types.ts'
import type { ExceptionText, NamedFailure } from '../ows-failure.ts'
import { toExceptionText } from '../ows-failure.ts'
import type { WmsVersion } from './wms-request.ts'

/** WMS exception codes of failures that have other codes here. */
const codes = new Map([
  ['unknown-style', 'StyleNotDefined'],
  ['unknown-layer', 'LayerNotDefined'],
  ['invalid-filter', 'InvalidParameterValue'],
  ['unsupported-filter', 'OperationNotSupported'],
])

function nameOf(code: string): NamedFailure | undefined {
  const named = codes.get(code)
  return named === undefined ? undefined : { named }
}

/** Sends a service exception report of WMS (OGC 06-042, annex H; 01-068r3, annex A.3). */
export function sendException(reply: FastifyReply, error: unknown, version: WmsVersion): FastifyReply {
  return sendReport(reply, writeException(reply, error), version)
}

/** Sets the status of an error response, and returns the content of its report. */
export function writeException(reply: FastifyReply, error: unknown): ExceptionText {
  return toExceptionText(reply, error, nameOf)
}

/** Sends a failure as a report. */
export function sendReport(
  reply: FastifyReply,
  { code, locator, text }: ExceptionText,
  version: WmsVersion,
): FastifyReply {
  const exception = `<ServiceException code="${code}"${locator}>${text}</ServiceException>`
  return reply.header('content-type', mediaTypes[version]).send(reports[version](exception))
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
