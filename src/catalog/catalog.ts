import type { Queryable } from '../db/connection.ts'
import { LayerCards } from './cards/layer-cards.ts'
import { StoreLooks } from './cards/store-looks.ts'
import { listUndecryptable } from './connections/undecryptable-stores.ts'
import { Inventory } from './doors/inventory.ts'
import { Layers } from './doors/layers.ts'
import { nowOf } from './doors/parts.ts'
import type { StoreParts } from './doors/stores.ts'
import { Stores } from './doors/stores.ts'
import { Styles } from './doors/styles.ts'
import { CatalogTransaction } from './doors/transaction.ts'
import { Versions } from './doors/versions.ts'
import { Workspaces } from './doors/workspaces.ts'
import { prepareCatalog, tellUntoldVersions } from './prepare.ts'

/** The catalogue: workspaces, stores, layers and styles, and the constraints between them. */
export class Catalog {
  readonly workspaces: Workspaces
  readonly stores: Stores
  readonly layers: Layers
  readonly styles: Styles
  readonly versions: Versions
  /** Contents of workspaces and stores. */
  readonly inventory: Inventory
  /** Summaries of all layers. */
  readonly cards: LayerCards
  /** Availability of stores. */
  readonly looks: StoreLooks
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
    this.stores = new Stores(parts)
    this.versions = new Versions(parts, this.stores, parts.versionLimits)
    this.layers = new Layers(parts, this.stores, this.versions)
    this.styles = new Styles(parts)
    this.workspaces = new Workspaces(parts, this.stores)
    this.inventory = new Inventory(parts, this.stores.files)
    this.cards = new LayerCards(parts.database)
    this.looks = new StoreLooks(this.stores, parts.clock)
  }

  /** Creates the default workspace and styles in a new database, and removes unused indexes. */
  async prepare(): Promise<void> {
    await this.stores.files.sweepIndexes()
    await prepareCatalog(this.#parts)
    await tellUntoldVersions(this.#parts)
  }

  /** Returns a message for each store whose password was stored with another key than that of the data directory. */
  listUndecryptable(): Promise<string[]> {
    return listUndecryptable(this.#parts.database.kysely, this.#parts.vault)
  }

  /**
   * Runs `work` in one transaction: `change` is the catalogue inside it, `transaction` is for rows of the
   * caller that must be written together with the catalogue's. Publications are announced after the commit.
   */
  async transaction<T>(work: (change: CatalogTransaction, transaction: Queryable) => Promise<T>): Promise<T> {
    const { database, events } = this.#parts
    const { result, published } = await database.transaction(async (transaction) => {
      const change = new CatalogTransaction(transaction, () => nowOf(this.#parts))
      return { result: await work(change, transaction), published: change.published }
    })
    for (const fact of published) events.emit('layer.published', fact)
    return result
  }

  async close(): Promise<void> {
    await this.looks.close()
    await this.stores.close()
    await this.layers.close()
  }
}
