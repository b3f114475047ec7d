import type { GmlVersion } from '../../../formats/writing/index.ts'
import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Versions of WFS (OGC 09-025r2, 04-094 and 02-058). */
export type WfsVersion = '1.0.0' | '1.1.0' | '2.0.0'

/** Newest first; 2.0.2 is 2.0.0 with corrections. */
export const wfsVersions: readonly WfsVersion[] = ['2.0.0', '1.1.0', '1.0.0']

/** XML names of a version, and the GML version in which it writes features. */
export const wordsOfVersion: Record<WfsVersion, VersionWords> = {
  '2.0.0': {
    wfs: 'http://www.opengis.net/wfs/2.0',
    wfsLocation: 'http://schemas.opengis.net/wfs/2.0/wfs.xsd',
    ows: 'http://www.opengis.net/ows/1.1',
    gml: '3.2',
  },
  '1.1.0': {
    wfs: 'http://www.opengis.net/wfs',
    wfsLocation: 'http://schemas.opengis.net/wfs/1.1.0/wfs.xsd',
    ows: 'http://www.opengis.net/ows',
    gml: '3.1',
  },
  '1.0.0': {
    wfs: 'http://www.opengis.net/wfs',
    wfsLocation: 'http://schemas.opengis.net/wfs/1.0.0/WFS-basic.xsd',
    ows: 'http://www.opengis.net/ogc',
    gml: '2.1',
  },
}

interface VersionWords {
  wfs: string
  wfsLocation: string
  ows: string
  gml: GmlVersion
}

function parseVersion(text: string): WfsVersion | undefined {
  if (/^2\.0(?:\.[0-2])?$/.test(text)) return '2.0.0'
  if (/^1\.1(?:\.\d)?$/.test(text)) return '1.1.0'
  return /^1\.0(?:\.\d)?$/.test(text) ? '1.0.0' : undefined
}

/** True for a request of WFS 1.0, in which x or easting is first unless a URN names the CRS. */
export function isOldest(values: KeyValues): boolean {
  return parseVersion(values.find('version') ?? '') === '1.0.0'
}

/** The version for capabilities (OGC 06-121r9, section 7.3.2): the first of ACCEPTVERSIONS that is offered, else by VERSION. */
export function negotiatedVersion(values: KeyValues): WfsVersion {
  const accepted = values.list('acceptversions')
  const found = accepted.map((one) => parseVersion(one.trim())).find((one) => one !== undefined)
  if (found !== undefined) return found
  const requested = accepted.length > 0 ? accepted.join(', ') : values.find('version')
  if (requested === undefined) return '2.0.0'
  const named = accepted.length > 0 ? undefined : parseVersion(requested)
  if (named !== undefined) return named
  if (accepted.length === 0 && Number.parseFloat(requested) >= 2) return '2.0.0'
  throw new OwsFailure(
    'VersionNegotiationFailed',
    `WFS ${requested} is not supported: request 2.0.0, 1.1.0 or 1.0.0`,
    accepted.length > 0 ? 'acceptversions' : 'version',
  )
}

/** Returns the version of another request; if it names none, the one whose parameters it uses. */
export function requestVersion(values: KeyValues): WfsVersion {
  const requested = values.find('version')
  if (requested === undefined) {
    const isOlder = values.find('typenames') === undefined && values.find('typename') !== undefined
    return isOlder && values.find('maxfeatures') !== undefined ? '1.1.0' : '2.0.0'
  }
  const version = parseVersion(requested)
  if (version !== undefined) return version
  throw new OwsFailure(
    'InvalidParameterValue',
    `WFS ${requested.slice(0, 40)} is not supported: request 2.0.0, 1.1.0 or 1.0.0`,
    'version',
  )
}
