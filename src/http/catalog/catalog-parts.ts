import type { Catalog } from '../../catalog/catalog.ts'

/** What the endpoints of the catalogue work with. */
export interface CatalogParts {
  catalog: Catalog
}
