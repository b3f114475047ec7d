import type { Role } from '../../access/index.ts'
import type { Dialect } from '../../core/config/settings.ts'

/** Role that may read monitoring data (docs/monitoring-contract.md, "Dialect of older systems"). */
export const countReaders = { contract: 'user', geoserver: 'admin' } as const satisfies Record<Dialect, Role>

const refusals = ['login-needed', 'not-allowed']

/**
 * Returns the body of the 403 response to a caller without access; undefined where the usual response applies.
 * docs/monitoring-contract.md, "Dialect of older systems", "403".
 */
export function refusalBody(
  dialect: Dialect,
  { hidesFromOthers }: { hidesFromOthers?: boolean | undefined },
  code: string,
): object | undefined {
  const isRefusal = dialect === 'geoserver' && hidesFromOthers === true && refusals.includes(code)
  return isRefusal ? { error: 'unauthorized_request' } : undefined
}

/**
 * True if the response to an unknown path has no `errors`: pages of GeoNode send requests for paths of GeoNode
 * to this server too, and read `errors` as a map (docs/monitoring-contract.md, "Dialect of older systems").
 */
export function hidesErrors(dialect: Dialect, { url, is404 }: { url: string; is404: boolean }): boolean {
  return dialect === 'geoserver' && is404 && !/^\/rest(?=[/?]|$)/.test(url)
}

/** True if operations are described with the responses of the dialect (`olderAnswers`). */
export function hasOlderAnswers(dialect: Dialect): boolean {
  return dialect === 'geoserver'
}

/** True if a body may have fields that the operation does not know. */
export function acceptsUnknownFields(dialect: Dialect): boolean {
  return dialect === 'geoserver'
}
