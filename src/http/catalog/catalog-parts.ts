import type { Catalog } from '../../catalog/catalog.ts'
import type { Importer } from '../../importer/importer.ts'
import type { VersionChanges } from '../../maps/earlier/version-changes.ts'
import type { SideTables } from '../../maps/sources/side-tables.ts'

/** What the endpoints of the catalogue work with. */
export interface CatalogParts {
  catalog: Catalog
}

/** The same for endpoints that bring layers back. */
export interface VersionParts extends CatalogParts {
  restores: Pick<Importer['restores'], 'restore'>
}

/** The same for endpoints that compare versions. */
export interface ComparisonParts extends CatalogParts {
  versionChanges: Pick<VersionChanges, 'between'>
  sides: Pick<SideTables, 'changes'>
  /** What the versions came from. */
  imports: Pick<Importer['kept'], 'find' | 'listTasks'>
}

/** The same for endpoints that tell what would go with something. */
export interface InventoryParts extends CatalogParts {
  imports: Pick<Importer['kept'], 'listInto'>
}

/** The same for endpoints that may take something from the public. */
export interface PublicityParts extends CatalogParts {
  /** How long a proxy may keep what is public. */
  sharedMaxAgeSeconds: number
}
