import type { KeyValues } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { ExceptionText } from '../ows-failure.ts'
import type { WcsRequest } from './wcs-request.ts'

/** A version of WCS. */
export interface WcsVersion {
  /** As documents name it, such as `2.0.1`. */
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
