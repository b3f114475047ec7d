import type { WcsVersion } from '../wcs-request.ts'
import { getCapabilities10 } from './capabilities.ts'
import { describeCoverage10 } from './describe-coverage.ts'
import { getCoverage10 } from './get-coverage.ts'

const reportHead =
  '<ServiceExceptionReport version="1.2.0" xmlns="http://www.opengis.net/ogc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/ogc http://schemas.opengis.net/wcs/1.0.0/OGC-exception.xsd">'

/** WCS 1.0.0 (OGC 03-065r6); service exception reports as in annex A.4. */
export const wcs10: WcsVersion = {
  name: '1.0.0',
  requested: /^1\.0(?:\.0)?$/,
  isImplied: (values) => values.find('coverage') !== undefined && values.find('coverageid') === undefined,
  operations: {
    getcapabilities: getCapabilities10,
    describecoverage: describeCoverage10,
    getcoverage: getCoverage10,
  },
  exceptions: {
    mediaType: 'application/vnd.ogc.se_xml; charset=utf-8',
    write: ({ code, locator, text }) =>
      `${reportHead}<ServiceException code="${code}"${locator}>${text}</ServiceException></ServiceExceptionReport>`,
  },
  unknownCoverage: () => ({ code: 'CoverageNotDefined', locator: 'coverage' }),
}
