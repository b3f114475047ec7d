import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import type { CoverageRequest } from './coverage-request.ts'
import type { WcsVersion } from './wcs-version.ts'

/** A request of one operation. */
export interface WcsRequest {
  request: FastifyRequest
  reply: FastifyReply
  version: WcsVersion
  workspace: string | undefined
  /** Parameters; for an XML request, the equivalent ones. */
  values: KeyValues
  /** Aborts when the client goes away before it has all. */
  signal: AbortSignal
  /** Content of GetCoverage, if it was sent as XML. */
  coverage?: CoverageRequest
}

/** The address of the service, without a question. */
export function wcsUrl({ request, workspace }: Pick<WcsRequest, 'request' | 'workspace'>): string {
  return request.link(workspace === undefined ? '/wcs' : `/${encodeURIComponent(workspace)}/wcs`)
}
