import type { Queryable } from '../core/db/connection.ts'
import { listUndecryptable } from './connections/store-connections.ts'
import { TableFollower } from './follow-tables.ts'
import { announceVersions, prepareCatalog } from './prepare.ts'
import { FeatureLocks } from './services/feature-locks.ts'
import { Inventory } from './services/inventory.ts'
import { LayerGroups } from './services/layer-groups.ts'
import { Layers } from './services/layers.ts'
import { PublishedRasters } from './services/published-rasters.ts'
import { PublishedTables } from './services/published-tables.ts'
import { Quotas } from './services/quotas.ts'
import { SavedMaps } from './services/saved-maps.ts'
import type { StoresDeps } from './services/stores.ts'
import { Stores } from './services/stores.ts'
import { Styles } from './services/styles.ts'
import { CatalogTransaction, nowOf } from './services/transaction.ts'
import { Versions } from './services/versions.ts'
import { Workspaces } from './services/workspaces.ts'
import { LayerSummaries } from './summaries/layer-summaries.ts'
import { StoreAvailability } from './summaries/store-availability.ts'

/** The catalogue: workspaces, stores, layers and styles, and the constraints between them. */
export class Catalog {
  readonly workspaces: Workspaces
  readonly stores: Stores
  readonly layers: Layers
  readonly styles: Styles
  readonly layerGroups: LayerGroups
  readonly featureLocks: FeatureLocks
  readonly savedMaps: SavedMaps
  readonly versions: Versions
  /** Limits of workspaces. */
  readonly quotas: Quotas
  /** Tables of stores that are published in place. */
  readonly tables: PublishedTables
  /** Raster files of stores that are published in place. */
  readonly rasters: PublishedRasters
  readonly follower: TableFollower
  /** Contents of workspaces and stores. */
  readonly inventory: Inventory
  /** Summaries of all layers. */
  readonly cards: LayerSummaries
  /** Availability of stores. */
  readonly availability: StoreAvailability
  readonly #deps: StoresDeps

  constructor(deps: StoresDeps) {
    this.#deps = deps
    this.stores = new Stores(deps)
    this.versions = new Versions(deps, this.stores, deps.versionLimits)
    this.quotas = new Quotas(deps, this.stores, deps.versionLimits)
    this.layers = new Layers(deps, this.stores, this.versions)
    this.styles = new Styles(deps)
    this.layerGroups = new LayerGroups(deps)
    this.featureLocks = new FeatureLocks(deps)
    this.savedMaps = new SavedMaps(deps)
    this.workspaces = new Workspaces(deps, this.stores)
    this.tables = new PublishedTables(deps, this.stores)
    this.rasters = new PublishedRasters(deps, this.stores)
    this.inventory = new Inventory(deps, this.stores.files)
    this.cards = new LayerSummaries(deps.database)
    const { stores, tables, rasters, cards: summaries } = this
    this.follower = new TableFollower({ ...deps, stores, tables, rasters, summaries })
    this.availability = new StoreAvailability(this.stores, rasters, deps.clock)
  }

  /** Creates the default workspace and styles in a new database, and removes unused indexes. */
  async prepare(): Promise<void> {
    await this.stores.files.sweepIndexes()
    await prepareCatalog(this.#deps)
    await announceVersions(this.#deps)
  }

  /** Returns a message for each store whose password was stored with another key than that of the data directory. */
  listUndecryptable(): Promise<string[]> {
    return listUndecryptable(this.#deps.database.kysely, this.#deps.vault)
  }

  /**
   * Runs `work` in one transaction: `change` is the catalogue inside it, `transaction` is for rows of the
   * caller that must be written together with the catalogue's. Publications are announced after the commit.
   */
  async transaction<T>(work: (change: CatalogTransaction, transaction: Queryable) => Promise<T>): Promise<T> {
    const { database, events } = this.#deps
    const { result, published } = await database.transaction(async (transaction) => {
      const change = new CatalogTransaction(transaction, () => nowOf(this.#deps.clock))
      const result = await work(change, transaction)
      for (const fact of change.published) await events.record(transaction, { name: 'layer.published', fact })
      return { result, published: change.published }
    })
    for (const fact of published) events.emit('layer.published', fact)
    return result
  }

  async close(): Promise<void> {
    await this.follower.close()
    await this.availability.close()
    await this.stores.close()
    await this.layers.close()
  }
}
