import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'
import { wcs10 } from './v1/wcs10.ts'
import { wcs20 } from './v2/wcs20.ts'
import type { WcsVersion } from './wcs-request.ts'

/** The registry, newest first. */
export const wcsVersions: readonly [WcsVersion, ...WcsVersion[]] = [wcs20, wcs10]

const [newest] = wcsVersions
const offered = wcsVersions.map(({ name }) => name).join(' or ')

function findVersion(text: string): WcsVersion | undefined {
  return wcsVersions.find(({ requested }) => requested.test(text))
}

/**
 * Returns the version nearest to a value of VERSION: the highest one that is not above, else the lowest; the
 * newest if no version is requested.
 */
export function nearestVersion(requested: string | undefined): WcsVersion {
  if (requested === undefined) return newest
  const number = Number.parseFloat(requested)
  const isNotAbove = ({ name }: WcsVersion): boolean => Number.parseFloat(name) <= number
  return findVersion(requested) ?? wcsVersions.find(isNotAbove) ?? wcsVersions.at(-1) ?? newest
}

/**
 * Returns the version for capabilities: the first supported one in ACCEPTVERSIONS (OGC 06-121r9, section
 * 7.3.2), otherwise the nearest one, as negotiated in 1.0.
 */
export function negotiatedVersion(values: KeyValues): WcsVersion {
  const accepted = values.list('acceptversions').map((one) => one.trim())
  if (accepted.length > 0) {
    const version = accepted.map(findVersion).find((one) => one !== undefined)
    if (version !== undefined) return version
    throw new OwsFailure(
      'VersionNegotiationFailed',
      `WCS ${accepted.join(', ').slice(0, 100)} is not supported: request ${offered}`,
      'acceptversions',
    )
  }
  return nearestVersion(values.find('version'))
}

/** Returns the version of another request; if it names none, the one whose parameters it uses. */
export function requestVersion(values: KeyValues): WcsVersion {
  const requested = values.find('version')
  if (requested === undefined) return wcsVersions.find((one) => one.isImplied(values)) ?? newest
  const version = findVersion(requested)
  if (version !== undefined) return version
  throw new OwsFailure(
    'InvalidParameterValue',
    `WCS ${requested.slice(0, 40)} is not supported: request ${offered}`,
    'version',
  )
}
