import { owsException } from '../../ows-failure.ts'
import type { WcsVersion } from '../wcs-request.ts'
import { getCapabilities } from './capabilities.ts'
import { describeCoverage } from './describe-coverage.ts'
import { getCoverage } from './get-coverage.ts'

const reportHead =
  '<ows:ExceptionReport version="2.0.1" xmlns:ows="http://www.opengis.net/ows/2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/ows/2.0 http://schemas.opengis.net/ows/2.0/owsExceptionReport.xsd">'

/** WCS 2.0.1 (OGC 09-110r4); exception reports as in OGC 06-121r9, section 8. */
export const wcs20: WcsVersion = {
  name: '2.0.1',
  requested: /^2\.0(?:\.[01])?$/,
  isImplied: (values) => values.find('coverageid') !== undefined,
  operations: {
    getcapabilities: getCapabilities,
    describecoverage: describeCoverage,
    getcoverage: getCoverage,
  },
  exceptions: {
    mediaType: 'application/xml; charset=utf-8',
    write: (exception) => `${reportHead}${owsException(exception)}</ows:ExceptionReport>`,
  },
  unknownCoverage: (id) => ({ code: 'NoSuchCoverage', locator: id }),
}
