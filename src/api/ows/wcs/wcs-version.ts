import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Versions of WCS (OGC 09-110r4 and 03-065r6). */
export type WcsVersion = '1.0.0' | '2.0.1'

function parseVersion(text: string): WcsVersion | undefined {
  if (/^2\.0(?:\.[01])?$/.test(text)) return '2.0.1'
  return /^1\.0(?:\.0)?$/.test(text) ? '1.0.0' : undefined
}

/**
 * Returns the version for capabilities: the first supported one in ACCEPTVERSIONS (OGC 06-121r9, section
 * 7.3.2), otherwise by VERSION as negotiated in 1.0: the highest one that is not above.
 */
export function negotiatedVersion(values: KeyValues): WcsVersion {
  const accepted = values.list('acceptversions').map((one) => one.trim())
  if (accepted.length > 0) {
    const found = accepted.map(parseVersion).find((one) => one !== undefined)
    if (found !== undefined) return found
    throw new OwsFailure(
      'VersionNegotiationFailed',
      `WCS ${accepted.join(', ').slice(0, 100)} is not offered here: ask for 2.0.1 or 1.0.0`,
      'acceptversions',
    )
  }
  const requested = values.find('version')
  return requested === undefined || Number.parseFloat(requested) >= 2 ? '2.0.1' : '1.0.0'
}

/** Returns the version of another request; if it names none, the one whose parameters it uses. */
export function requestVersion(values: KeyValues): WcsVersion {
  const requested = values.find('version')
  if (requested === undefined)
    return values.find('coverage') !== undefined && values.find('coverageid') === undefined
      ? '1.0.0'
      : '2.0.1'
  const version = parseVersion(requested)
  if (version !== undefined) return version
  throw new OwsFailure(
    'InvalidParameterValue',
    `WCS ${requested.slice(0, 40)} is not offered here: ask for 2.0.1 or 1.0.0`,
    'version',
  )
}
