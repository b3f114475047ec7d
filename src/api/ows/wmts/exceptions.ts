import type { FastifyReply } from '../../app-types.ts'
import type { NamedFailure } from '../ows-failure.ts'
import { owsException, toExceptionText } from '../ows-failure.ts'

/** Parameters for failures that name others here. */
const locators = new Map([
  ['unknown-style', 'Style'],
  ['invalid-time', 'Time'],
])

function nameOf(code: string): NamedFailure | undefined {
  const locator = locators.get(code)
  return locator === undefined ? undefined : { named: 'InvalidParameterValue', locator, status: 400 }
}

const head =
  '<ows:ExceptionReport version="1.1.0" xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsExceptionReport.xsd">'

/** Sends an exception report of WMTS (OGC 06-121r3, section 8; 07-057r7, section 7.2.4). */
export function sendException(reply: FastifyReply, error: unknown): FastifyReply {
  const exception = owsException(toExceptionText(reply, error, nameOf))
  return reply
    .header('cache-control', 'no-store')
    .header('content-type', 'text/xml; charset=utf-8')
    .send(`<?xml version="1.0" encoding="UTF-8"?>\n${head}${exception}</ows:ExceptionReport>\n`)
}
