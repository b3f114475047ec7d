import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import type { FeatureRequest } from './feature-request.ts'
import type { WfsVersion } from './wfs-version.ts'

/** A request as its operation is asked. */
export interface WfsRequest {
  request: FastifyRequest
  reply: FastifyReply
  version: WfsVersion
  workspace: string | undefined
  /** Of a request that was sent as XML, those that the same has by key and value. */
  values: KeyValues
  /** Aborts when the client goes away before it has all. */
  signal: AbortSignal
  /** What GetFeature asks for, where it was sent as XML. */
  features?: FeatureRequest
}
