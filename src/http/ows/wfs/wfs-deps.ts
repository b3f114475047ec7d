import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import type { FeatureRequest } from './feature-request.ts'
import type { WfsVersion } from './wfs-version.ts'

/** A request of one operation. */
export interface WfsRequest {
  request: FastifyRequest
  reply: FastifyReply
  version: WfsVersion
  workspace: string | undefined
  /** Parameters; for an XML request, the equivalent ones. */
  values: KeyValues
  /** Aborts when the client goes away before it has all. */
  signal: AbortSignal
  /** Content of GetFeature, if it was sent as XML. */
  features?: FeatureRequest
}
