import type { Catalog } from '../../catalog/catalog.ts'
import type { EarlierVersions } from '../../maps/earlier/earlier-versions.ts'
import type { Maps } from '../../maps/maps.ts'
import type { Rasters } from '../../maps/rasters/rasters.ts'
import type { TileTurns } from './tile-turns.ts'

/** What the endpoints below `/tiles` work with. */
export interface TileParts {
  catalog: Pick<Catalog, 'layers'>
  maps: Maps
  /** What layers were before. */
  earlier: Pick<EarlierVersions, 'at' | 'tile'>
  rasters: Pick<Rasters, 'zooms' | 'map'>
  /** The program's, which is part of what answers are known by. */
  version: string
  /** How long a proxy may keep what is public. */
  sharedMaxAgeSeconds: number
  /** Of all tiles of the server. */
  turns: TileTurns
}
