import type { Catalog } from '../../catalog/catalog.ts'
import type { EarlierVersions } from '../../maps/earlier/earlier-versions.ts'
import type { Maps } from '../../maps/maps.ts'
import type { Rasters } from '../../maps/rasters/rasters.ts'
import type { TileTurns } from './tile-turns.ts'

/** Dependencies of the endpoints below `/tiles`. */
export interface TileParts {
  catalog: Pick<Catalog, 'layers'>
  maps: Maps
  /** Earlier versions of layers. */
  earlier: Pick<EarlierVersions, 'at' | 'tile'>
  rasters: Pick<Rasters, 'zooms' | 'map'>
  /** Program version, which is part of `ETag`s. */
  version: string
  /** Time that a proxy may cache public responses. */
  sharedMaxAgeSeconds: number
  /** Limits for all tile requests of the server. */
  turns: TileTurns
}
