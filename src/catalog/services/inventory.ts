import type { StoreFiles } from '../files/store-files.ts'
import type { StoreRecord, Workspace } from '../records.ts'
import {
  countByWorkspace,
  countLayersByStore,
  countRetained,
  layersIn,
  type Named,
  namesIn,
} from '../rows/counts.ts'
import { listMosaicsIn } from '../rows/mosaic-index.ts'
import { listAllStores, listStores } from '../rows/store-rows.ts'
import { findDefaultWorkspaceName, listWorkspaces } from '../rows/workspace-rows.ts'
import type { WriteDeps } from './transaction.ts'

/** A workspace with the counts of its contents. */
export interface WorkspaceInventory extends Workspace {
  isDefault: boolean
  stores: number
  layers: number
  styles: number
}

/** A store with its number of layers. */
export interface StoreInventory extends StoreRecord {
  layers: number
}

/** Objects that are deleted together with a store or a workspace. */
export interface Dependents {
  layers: Named
  /** For a workspace: all its stores; for a store: the mosaics whose granules are in it. */
  stores: Named
  /** Styles of the workspace; absent for a store. */
  styles?: Named
  /** Earlier versions of layers. */
  versions: { total: number; bytes: number }
  /** Files of the server, which are removed; tables of databases and files of others remain. */
  files: number
}

const maxNames = 100

/** Contents of workspaces and stores. */
export class Inventory {
  readonly #database: WriteDeps['database']
  readonly #files: StoreFiles

  constructor({ database }: Pick<WriteDeps, 'database'>, files: StoreFiles) {
    this.#database = database
    this.#files = files
  }

  /** Lists workspaces by name. */
  async workspaces(): Promise<WorkspaceInventory[]> {
    const db = this.#database.kysely
    const { stores, layers, styles } = await countByWorkspace(db)
    const first = await findDefaultWorkspaceName(db)
    return (await listWorkspaces(db)).map((workspace) => ({
      ...workspace,
      isDefault: workspace.name === first,
      stores: stores.get(workspace.name) ?? 0,
      layers: layers.get(workspace.name) ?? 0,
      styles: styles.get(workspace.name) ?? 0,
    }))
  }

  /** Returns the stores of a workspace, or all, ordered by workspace and name. */
  async stores(workspace?: string): Promise<StoreInventory[]> {
    const db = this.#database.kysely
    const layers = await countLayersByStore(db)
    const stores = await (workspace === undefined ? listAllStores(db) : listStores(db, workspace))
    const keyOf = (store: StoreRecord): string => `${store.workspace}\0${store.name}`
    return stores
      .map((store) => ({ ...store, layers: layers.get(store.id) ?? 0 }))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }

  async ofWorkspace(workspace: string): Promise<Dependents> {
    const db = this.#database.kysely
    const stores = await listStores(db, workspace)
    return {
      layers: await layersIn(db, { workspace }, maxNames),
      stores: await namesIn(db, 'stores', workspace, maxNames),
      styles: await namesIn(db, 'styles', workspace, maxNames),
      ...(await this.#keptOf(stores)),
    }
  }

  async ofStore(store: StoreRecord): Promise<Dependents> {
    const db = this.#database.kysely
    const mosaics = await listMosaicsIn(db, store)
    const going = [store, ...mosaics]
    return {
      layers: await layersIn(db, { storeIds: going.map(({ id }) => id) }, maxNames),
      stores: { total: mosaics.length, names: mosaics.slice(0, maxNames).map(({ name }) => name) },
      ...(await this.#keptOf(going)),
    }
  }

  async #keptOf(stores: readonly StoreRecord[]): Promise<Pick<Dependents, 'versions' | 'files'>> {
    const storeIds = stores.map(({ id }) => id)
    const versions = await countRetained(this.#database.kysely, storeIds)
    const areOurs = await Promise.all(stores.map((store) => this.#files.isOurs(store)))
    return { versions, files: areOurs.filter(Boolean).length }
  }
}
