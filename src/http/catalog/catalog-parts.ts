import type { Catalog } from '../../catalog/catalog.ts'
import type { Importer } from '../../importer/importer.ts'

/** What the endpoints of the catalogue work with. */
export interface CatalogParts {
  catalog: Catalog
}

/** The same for endpoints that bring layers back. */
export interface VersionParts extends CatalogParts {
  restores: Pick<Importer['restores'], 'restore'>
}

/** The same for endpoints that may take something from the public. */
export interface PublicityParts extends CatalogParts {
  /** How long a proxy may keep what is public. */
  sharedMaxAgeSeconds: number
}
