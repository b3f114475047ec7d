import type { Catalog } from '../../catalog/catalog.ts'
import type { Maps } from '../../maps/maps.ts'
import type { Rasters } from '../../maps/rasters/rasters.ts'
import type { PreviousVersions } from '../../maps/versions/previous-versions.ts'
import type { TileLimiter } from './tile-limiter.ts'

/** Dependencies of the endpoints below `/tiles`. */
export interface TileDeps {
  catalog: Pick<Catalog, 'layers'>
  maps: Maps
  /** Earlier versions of layers. */
  earlier: Pick<PreviousVersions, 'at' | 'tile'>
  rasters: Pick<Rasters, 'zooms' | 'map'>
  /** Program version, which is part of `ETag`s. */
  version: string
  /** Time that a proxy may cache public responses. */
  sharedMaxAgeSeconds: number
  /** Limits for all tile requests of the server. */
  limiter: TileLimiter
}
