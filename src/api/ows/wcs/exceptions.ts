import type { FastifyReply } from '../../app-types.ts'
import type { NamedFailure } from '../ows-failure.ts'
import { owsException, toExceptionText } from '../ows-failure.ts'
import type { WcsVersion } from './wcs-version.ts'

/** WCS exception codes of failures that have other codes here. */
const codes = new Map([['invalid-time', 'InvalidParameterValue']])

function nameOf(code: string): NamedFailure | undefined {
  const named = codes.get(code)
  return named === undefined ? undefined : { named }
}

/** The exception report of WCS 2.0 (OGC 06-121r9, section 8), in 1.0 the service exception report (03-065r6, annex A.4). */
export function sendException(reply: FastifyReply, error: unknown, version: WcsVersion): FastifyReply {
  const exceptionText = toExceptionText(reply, error, nameOf)
  const { code, locator, text } = exceptionText
  const report =
    version === '2.0.1'
      ? `${reportHead}${owsException(exceptionText)}</ows:ExceptionReport>`
      : `${olderHead}<ServiceException code="${code}"${locator}>${text}</ServiceException></ServiceExceptionReport>`
  return reply
    .header('content-type', mediaTypes[version])
    .send(`<?xml version="1.0" encoding="UTF-8"?>\n${report}\n`)
}

const mediaTypes: Record<WcsVersion, string> = {
  '1.0.0': 'application/vnd.ogc.se_xml; charset=utf-8',
  '2.0.1': 'application/xml; charset=utf-8',
}
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const reportHead = `<ows:ExceptionReport version="2.0.1" xmlns:ows="http://www.opengis.net/ows/2.0" ${xsi} xsi:schemaLocation="http://www.opengis.net/ows/2.0 http://schemas.opengis.net/ows/2.0/owsExceptionReport.xsd">`
const olderHead = `<ServiceExceptionReport version="1.2.0" xmlns="http://www.opengis.net/ogc" ${xsi} xsi:schemaLocation="http://www.opengis.net/ogc http://schemas.opengis.net/wcs/1.0.0/OGC-exception.xsd">`
