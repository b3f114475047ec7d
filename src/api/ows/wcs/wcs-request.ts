import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { ExceptionText } from '../ows-failure.ts'

/** A version of WCS. */
export interface WcsVersion {
  /** Version number for response documents, such as `2.0.1`. */
  name: string
  /** Matches the values of VERSION and ACCEPTVERSIONS that request it. */
  requested: RegExp
  /** True if a request without VERSION uses parameters of this version. */
  isImplied(values: KeyValues): boolean
  /** Operations by their names in lower case. */
  operations: Record<string, (deps: OwsDeps, request: WcsRequest) => Promise<unknown>>
  /** Writes exception documents. */
  exceptions: { mediaType: string; write(exception: ExceptionText): string }
  /** Returns the exception code and locator for a coverage that does not exist. */
  unknownCoverage(id: string): { code: string; locator: string }
}

/** A request of one WCS operation. */
export interface WcsRequest {
  request: FastifyRequest
  reply: FastifyReply
  version: WcsVersion
  /** Names of all supported versions, newest first. */
  offeredVersions: readonly string[]
  workspace: string | undefined
  /** Parameters; for an XML request, the equivalent ones. */
  values: KeyValues
  /** Aborts if the client disconnects before the response is complete. */
  signal: AbortSignal
  /** Content of GetCoverage, if it was sent as XML. */
  coverage?: CoverageRequest
}

/** A subset along an axis: between two ends, of which an absent one is open, or at a point. */
export interface AxisSubset {
  axis: string
  /** CRS text of the request, unchanged. */
  crs?: string
  low?: string
  high?: string
  point?: string
}

/** Requested number of cells, per named axis. */
export interface AxisScaling {
  /** Undefined: of both. */
  axis: string | undefined
  factor?: string
  size?: string
  /** Numbers of the first and the last cell. */
  extent?: [low: string, high: string]
}

/** A GetCoverage request of WCS 2.0, from KVP or XML. */
export interface CoverageRequest {
  coverageId: string
  subsets: AxisSubset[]
  subsettingCrs?: string | undefined
  outputCrs?: string | undefined
  format?: string | undefined
  mediaType?: string | undefined
  scales: AxisScaling[]
  /** Names of bands, and intervals of them with a colon between. */
  range?: string[] | undefined
  interpolation?: string | undefined
  /** GeoTIFF parameters by their lower-case names. */
  geotiff: Map<string, string>
}

/** Returns the URL of the service, without parameters. */
export function wcsUrl({ request, workspace }: Pick<WcsRequest, 'request' | 'workspace'>): string {
  return request.link(workspace === undefined ? '/wcs' : `/${encodeURIComponent(workspace)}/wcs`)
}
