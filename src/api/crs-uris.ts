import { invalid } from '../core/errors/errors.ts'
import { findCrs, parseSrs } from '../geo/crs-database.ts'

/** WGS 84 as longitude, latitude: what every collection can be read in (OGC 18-058r1, section 6.2). */
export const crs84Uri = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'

/** A CRS as a client means it: coordinates in the order of its authority, but CRS84 as longitude, latitude. */
export interface RequestedCrs {
  uri: string
  srs: string
  /** Latitude or northing first on the wire. */
  isYx: boolean
}

export const crs84: RequestedCrs = { uri: crs84Uri, srs: 'EPSG:4326', isYx: false }

/** `http://www.opengis.net/def/crs/EPSG/0/25832` for `EPSG:25832`. */
export function toCrsUri(srs: string): string {
  const [authority, code] = srs.split(':')
  return `http://www.opengis.net/def/crs/${authority}/0/${code}`
}

/** Parses the value of the `crs` or `bbox-crs` parameter; throws `Failure` (`invalid`) for an unknown CRS. */
export function parseCrsUri(parameter: string, text: string): RequestedCrs {
  if (/[:/]CRS84h?$/i.test(text)) return crs84
  const srs = parseSrs(text)
  const record = srs === undefined ? undefined : findCrs(srs)
  if (srs === undefined || record === undefined) {
    throw invalid(
      'unknown-crs',
      `${parameter} "${text}" is not a known CRS: expected a URI such as ${crs84Uri}`,
    )
  }
  return { uri: toCrsUri(srs), srs, isYx: record.axisOrder === 'yx' }
}
