import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Versions of WMS (OGC 01-068r3 and 06-042). */
export type WmsVersion = '1.1.1' | '1.3.0'

/** A request of one WMS operation. */
export interface WmsRequest {
  request: FastifyRequest
  reply: FastifyReply
  values: KeyValues
  version: WmsVersion
  workspace: string | undefined
}

/** Returns the version for capabilities, as both standards negotiate it (OGC 06-042, section 6.2.4). */
export function negotiatedVersion(values: KeyValues): WmsVersion {
  const requested = values.find('version') ?? values.find('wmtver') ?? '1.3.0'
  return isBefore13(requested) ? '1.1.1' : '1.3.0'
}

/** Returns the version of another request; if it names none, the one whose parameters it uses. */
export function requestVersion(values: KeyValues): WmsVersion {
  const requested = values.find('version') ?? values.find('wmtver')
  if (requested === undefined) return values.find('crs') === undefined ? '1.1.1' : '1.3.0'
  if (requested === '1.3.0') return '1.3.0'
  if (/^1\.1\.[01]$|^1\.0\.0$/.test(requested)) return '1.1.1'
  throw new OwsFailure('InvalidParameterValue', `VERSION "${requested}" is not 1.1.1 or 1.3.0`, 'version')
}

function isBefore13(version: string): boolean {
  const [major = 1, minor = 3] = version.split('.').map(Number)
  return major < 1 || (major === 1 && minor < 3)
}
