import type { Catalog } from '../../catalog/catalog.ts'
import type { Importer } from '../../importer/importer.ts'
import type { VersionChanges } from '../../maps/earlier/version-changes.ts'
import type { SideTables } from '../../maps/sources/side-tables.ts'

/** Dependencies of the catalogue's endpoints. */
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
  /** Imports that created the versions. */
  imports: Pick<Importer['kept'], 'find' | 'listTasks'>
}

/** Additional dependencies of endpoints that list what a deletion would remove. */
export interface InventoryParts extends CatalogParts {
  imports: Pick<Importer['kept'], 'listInto'>
}

/** The same for endpoints that may take something from the public. */
export interface PublicityParts extends CatalogParts {
  /** Time that a proxy may cache public responses. */
  sharedMaxAgeSeconds: number
}
