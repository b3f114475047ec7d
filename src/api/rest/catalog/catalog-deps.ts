import type { AccessRules } from '../../../access/index.ts'
import type { Catalog } from '../../../catalog/index.ts'
import type { Importer } from '../../../importer/index.ts'
import type { SideTables, VersionChanges } from '../../../render/index.ts'

/** Dependencies of the catalogue's endpoints. */
export interface CatalogDeps {
  catalog: Catalog
}

/** The same for endpoints that bring layers back. */
export interface VersionDeps extends CatalogDeps {
  restores: Pick<Importer['restores'], 'restore'>
}

/** The same for endpoints that compare versions. */
export interface ComparisonDeps extends CatalogDeps {
  versionChanges: Pick<VersionChanges, 'between'>
  sides: Pick<SideTables, 'changes'>
  /** Imports that created the versions. */
  imports: Pick<Importer['kept'], 'find' | 'listTasks'>
}

/** Additional dependencies of endpoints that list what a deletion would remove. */
export interface InventoryDeps extends CatalogDeps {
  imports: Pick<Importer['kept'], 'listInto'>
}

/** The same for endpoints that may take something from the public. */
export interface PublicAccessDeps extends CatalogDeps {
  rules: Pick<AccessRules, 'now'>
  /** Time that a proxy may cache public responses. */
  sharedMaxAgeSeconds: number
}
