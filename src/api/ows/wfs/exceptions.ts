import type { FastifyReply } from '../../app-types.ts'
import type { NamedFailure } from '../ows-failure.ts'
import { owsException, toExceptionText } from '../ows-failure.ts'
import type { WfsVersion } from './wfs-version.ts'

/** WFS exception codes of failures that have other codes here; only of 2.0 (OGC 09-025r2, section 7.5). */
const codes = new Map([
  ['invalid-filter', 'InvalidParameterValue'],
  ['unsupported-filter', 'OperationNotSupported'],
  ['invalid-parameter', 'InvalidParameterValue'],
  ['invalid-position', 'InvalidParameterValue'],
  ['unknown-property', 'InvalidParameterValue'],
  ['unknown-crs', 'InvalidParameterValue'],
  ['layer-not-editable', 'OperationNotSupported'],
  ['several-stores', 'OperationNotSupported'],
  ['same-table', 'OperationNotSupported'],
])

function nameOf(code: string): NamedFailure | undefined {
  const named = codes.get(code)
  return named === undefined ? undefined : { named }
}

/** Sends an exception report of WFS (OGC 06-121r9, section 8; for 1.1 05-008, section 8; for 1.0 02-058, section 7.4). */
export function sendException(reply: FastifyReply, error: unknown, version: WfsVersion): FastifyReply {
  const exception = toExceptionText(reply, error, nameOf)
  const { type, head, tail } = reports[version]
  const { code, text, locator } = exception
  const inside =
    version === '1.0.0'
      ? `<ServiceException code="${code}"${locator}>${text}</ServiceException>`
      : owsException(exception)
  return reply
    .header('content-type', type)
    .send(`<?xml version="1.0" encoding="UTF-8"?>\n${head}${inside}${tail}\n`)
}

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const reports: Record<WfsVersion, { type: string; head: string; tail: string }> = {
  '2.0.0': {
    type: 'application/xml; charset=utf-8',
    head: `<ows:ExceptionReport version="2.0.0" xmlns:ows="http://www.opengis.net/ows/1.1" ${xsi} xsi:schemaLocation="http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsAll.xsd">`,
    tail: '</ows:ExceptionReport>',
  },
  '1.1.0': {
    type: 'text/xml; charset=utf-8',
    head: `<ows:ExceptionReport version="1.0.0" xmlns:ows="http://www.opengis.net/ows" ${xsi} xsi:schemaLocation="http://www.opengis.net/ows http://schemas.opengis.net/ows/1.0.0/owsExceptionReport.xsd">`,
    tail: '</ows:ExceptionReport>',
  },
  '1.0.0': {
    type: 'text/xml; charset=utf-8',
    head: `<ServiceExceptionReport version="1.2.0" xmlns="http://www.opengis.net/ogc" ${xsi} xsi:schemaLocation="http://www.opengis.net/ogc http://schemas.opengis.net/wfs/1.0.0/OGC-exception.xsd">`,
    tail: '</ServiceExceptionReport>',
  },
}
