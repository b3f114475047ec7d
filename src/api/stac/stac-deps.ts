import type { CachedCounts } from '../ogcapi/cached-counts.ts'
import type { OgcDeps } from '../ogcapi/ogc-deps.ts'

/** Dependencies of the endpoints below `/stac`. */
export interface StacDeps
  extends Pick<
    OgcDeps,
    'catalog' | 'version' | 'sharedMaxAgeSeconds' | 'bounds' | 'about' | 'pageTokens' | 'clock'
  > {
  /** Cached numbers of granules that match a search. */
  counts: CachedCounts
}
