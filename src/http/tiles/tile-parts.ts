import type { Catalog } from '../../catalog/catalog.ts'
import type { Maps } from '../../maps/maps.ts'

/** What the endpoints below `/tiles` work with. */
export interface TileParts {
  catalog: Pick<Catalog, 'layers'>
  maps: Maps
  /** How long a proxy may keep what is public. */
  sharedMaxAgeSeconds: number
}
