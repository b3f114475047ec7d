import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import type { CoverageRequest } from './coverage-request.ts'
import type { WcsVersion } from './wcs-version.ts'

/** A request as its operation is asked. */
export interface WcsRequest {
  request: FastifyRequest
  reply: FastifyReply
  version: WcsVersion
  workspace: string | undefined
  /** Of a request that was sent as XML, those that the same has by key and value. */
  values: KeyValues
  /** Aborts when the client goes away before it has all. */
  signal: AbortSignal
  /** What GetCoverage asks for, where it was sent as XML. */
  coverage?: CoverageRequest
}

/** The address of the service, without a question. */
export function serviceUrl({ request, workspace }: Pick<WcsRequest, 'request' | 'workspace'>): string {
  return request.link(workspace === undefined ? '/wcs' : `/${encodeURIComponent(workspace)}/wcs`)
}
