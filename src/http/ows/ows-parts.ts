import type { Catalog } from '../../catalog/catalog.ts'
import type { MapDrawings } from '../../maps/drawing/map-drawings.ts'
import type { LayerBounds } from '../layer-bounds.ts'
import type { PictureParts } from '../tiles/picture-parts.ts'

/** What the older OGC services work with. */
export interface OwsParts extends Omit<PictureParts, 'catalog'> {
  catalog: Pick<Catalog, 'layers' | 'styles' | 'stores' | 'cards'>
  bounds: LayerBounds
  drawings: MapDrawings
}
