import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Database } from '../db/connection.ts'
import type { Clock } from '../lib/clock.ts'
import { conflict, invalid } from '../lib/errors.ts'
import type { EventBus } from '../lib/events.ts'
import type { Reach } from '../lib/network/reach.ts'
import type { Vault } from '../lib/vault.ts'
import type { AnyStoreType } from '../stores/rasters/coverage-types.ts'
import { isCoverageStoreType, mosaicType } from '../stores/rasters/coverage-types.ts'
import { rasterState } from '../stores/rasters/raster-files.ts'
import { readRaster } from '../stores/rasters/read-raster.ts'
import type { ServedStore } from '../stores/reading/served-store.ts'
import type { StoreConnection, StoreParameters, TableState } from '../stores/store.ts'
import { defaultStyles } from './default-styles.ts'
import { listLayers } from './layers.ts'
import { findMosaicIndex, getMosaicIndex, listMosaicsIn, removeMosaicFolder } from './mosaic-index.ts'
import { unpublishLayer } from './publish.ts'
import type { LayerRecord, StoreKind, StoreMaker, StoreRecord } from './records.ts'
import type { StoreConnections } from './store-connections.ts'
import { createStoreConnections, hiddenSecret, partParameters } from './store-connections.ts'
import { removeStoreFile } from './store-files.ts'
import { removeStoreIndex, sweepIndexes } from './store-indexes.ts'
import { makerAfter } from './store-makers.ts'
import {
  deleteStoreRow,
  findDefaultStore,
  findStore,
  getStoreById,
  insertStore,
  listAllStores,
  listStores,
  updateStore,
} from './stores.ts'
import { findStyle, insertStyle } from './styles.ts'
import type { LayerVersion } from './versions.ts'
import { LayerVersions } from './versions.ts'
import {
  checkName,
  clearDefaultWorkspace,
  deleteWorkspaceRow,
  findDefaultWorkspaceName,
  findWorkspace,
  getWorkspace,
  insertWorkspace,
  saveDefaultWorkspaceName,
} from './workspaces.ts'

export interface CatalogParts {
  database: Database
  clock: Clock
  events: EventBus
  vault: Vault
  openVectorStore(connection: StoreConnection): ServedStore
  /** Where stores may connect to that are made by staff. */
  reachOfStaff(): Reach
  /** What a workspace's default store is made of; the name is the workspace's own. */
  defaultStoreConnection(workspace: string): Promise<StoreConnection>
  /** Where the server keeps the files of stores: what lies here goes with its store. */
  storesFolder: string
  /** Where it keeps the indexes of files that are served as they are. */
  indexFolder: string
}

/** What opens a store of features, or the file of a coverage. */
export interface AnyConnection {
  type: AnyStoreType
  parameters: StoreParameters
  /** Where the connection may lead; absent: anywhere. */
  reach?: Reach
}

export interface NewStore {
  workspace: string
  name: string
  kind: StoreKind
  connection: AnyConnection
  isEnabled?: boolean
  isDefault?: boolean
  description?: string
  /** Who asks; absent: the server itself. */
  madeBy?: StoreMaker
}

export interface StoreChange {
  connection?: AnyConnection
  isEnabled?: boolean
  description?: string
  /** Who asks; absent: the server itself. */
  changedBy?: StoreMaker
}

const checkTimeoutMs = 15_000

/** Workspaces, stores, layers and styles: what is published, and the rules between them. */
export class Catalog {
  readonly database: Database
  readonly connections: StoreConnections
  readonly versions: LayerVersions
  readonly #parts: CatalogParts

  constructor(parts: CatalogParts) {
    this.#parts = parts
    this.database = parts.database
    this.versions = new LayerVersions(parts.database, (layer, signal) => this.#readState(layer, signal))
    this.connections = createStoreConnections(parts.vault, parts.openVectorStore, parts)
  }

  /** Gives a fresh database its default workspace and styles. */
  async prepare(): Promise<void> {
    const at = this.#now()
    const stores = await listAllStores(this.database.kysely)
    await sweepIndexes(this.#parts.indexFolder, stores, this.#parts.clock.now().getTime())
    await this.database.transaction(async (db) => {
      const settled = await db
        .selectFrom('settings')
        .select('value')
        .where('name', '=', 'prepared')
        .executeTakeFirst()
      if (settled !== undefined) return
      await db.insertInto('settings').values({ name: 'prepared', value: at }).execute()
      await insertWorkspace(db, { name: 'default', isPublic: false, at })
      await saveDefaultWorkspaceName(db, 'default')
      for (const style of defaultStyles) {
        if ((await findStyle(db, undefined, style.name)) === undefined) await insertStyle(db, style, at)
      }
    })
  }

  /** The workspace an import means that names none; throws `Failure` when the default was deleted. */
  async defaultWorkspace(): Promise<string> {
    const name = await findDefaultWorkspaceName(this.database.kysely)
    if (name !== undefined) return name
    throw invalid(
      'no-default-workspace',
      'There is no default workspace: name one, or PUT /rest/workspaces/default',
    )
  }

  /** The default data store of a workspace, made when it is needed first. */
  async defaultStore(workspace: string): Promise<StoreRecord> {
    const db = this.database.kysely
    const known = await findDefaultStore(db, workspace)
    if (known !== undefined) return known
    await getWorkspace(db, workspace)
    const connection = await this.#parts.defaultStoreConnection(workspace)
    const name =
      (await findStore(db, workspace, workspace)) === undefined ? workspace : `${workspace}_default`
    try {
      return await this.createStore({ workspace, name, kind: 'dataStore', connection, isDefault: true })
    } catch (error) {
      const raced = await findDefaultStore(db, workspace)
      if (raced !== undefined) return raced
      throw error
    }
  }

  /** Opens a store for reading or loading; it stays open until it changes or the server stops. */
  openStore(store: StoreRecord): Promise<ServedStore> {
    return this.connections.open(this.database.kysely, store)
  }

  /** The version of a layer as it is now, with a look at whether anyone else has changed its data. */
  versionOf(layer: LayerRecord): Promise<LayerVersion> {
    return this.versions.of(layer)
  }

  async openStoreOfLayer(layer: LayerRecord): Promise<ServedStore> {
    return this.openStore(await getStoreById(this.database.kysely, layer.storeId))
  }

  /** Tries the connection, then keeps the store; a wrong host, password or file is a `Failure` that says so. */
  async createStore(wanted: NewStore): Promise<StoreRecord> {
    checkName('Store', wanted.name)
    const db = this.database.kysely
    await getWorkspace(db, wanted.workspace)
    await this.#refuseTakenStore(wanted.workspace, wanted.name)
    await this.#tryAs(wanted.madeBy, wanted.connection)
    const at = this.#now()
    const id = await this.database.transaction((transaction) =>
      insertStore(
        transaction,
        { workspace: wanted.workspace, name: wanted.name, at },
        {
          ...partParameters(wanted.connection.parameters, this.#parts.vault),
          kind: wanted.kind,
          type: wanted.connection.type,
          isEnabled: wanted.isEnabled ?? true,
          isDefault: wanted.isDefault ?? false,
          description: wanted.description,
          madeBy: wanted.madeBy,
        },
      ),
    )
    return getStoreById(db, id)
  }

  /** Changes a store; a secret given as `********` keeps its value. */
  async changeStore(store: StoreRecord, change: StoreChange): Promise<StoreRecord> {
    const db = this.database.kysely
    const current = isCoverageStoreType(store.type) ? store : await this.connections.connection(db, store)
    const connection = change.connection ?? current
    const parameters = keepHiddenSecrets(connection.parameters, current.parameters)
    const madeBy = makerAfter(store, change, parameters)
    if (change.connection !== undefined) await this.#tryAs(madeBy, { type: connection.type, parameters })
    const values = {
      ...partParameters(parameters, this.#parts.vault),
      kind: store.kind,
      type: connection.type,
      isEnabled: change.isEnabled ?? store.isEnabled,
      isDefault: store.isDefault,
      description: change.description ?? store.description,
      madeBy,
    }
    const at = this.#now()
    await this.database.transaction((transaction) => updateStore(transaction, store.id, values, at))
    await this.connections.forget(store.id)
    return getStoreById(db, store.id)
  }

  /** Deletes a store without layers; `recurse` unpublishes its layers first. A file of ours goes with it; tables stay. */
  async deleteStore(store: StoreRecord, options: { recurse: boolean }): Promise<void> {
    const layers = await listLayers(this.database.kysely, { storeId: store.id })
    if (layers.length > 0 && !options.recurse) {
      throw conflict(
        'store-not-empty',
        `Store "${store.name}" has ${layers.length} layers: delete them first, or use recurse=true`,
      )
    }
    await this.#deleteMosaicsIn(store, options)
    const index = await this.#findIndexTable(store)
    await this.database.transaction(async (db) => {
      for (const layer of layers) await unpublishLayer(db, layer)
      await deleteStoreRow(db, store.id)
    })
    await this.connections.forget(store.id)
    await index?.drop()
    if (store.type === mosaicType) await removeMosaicFolder(this.#parts.storesFolder, store)
    await removeStoreFile(this.#parts.storesFolder, store, await listAllStores(this.database.kysely))
    await this.removeUnusedIndex(store)
    for (const { workspace, name } of layers)
      this.#parts.events.emit('layer.removed', { workspace, layer: name })
  }

  /** Removes a file of ours that no store reads any more, with what belongs to it; leaves any other. */
  async removeUnusedFile(path: string): Promise<void> {
    const stores = await listAllStores(this.database.kysely)
    await removeStoreFile(this.#parts.storesFolder, { parameters: { path } }, stores)
  }

  /** Removes the index of a file that no store serves any more. */
  async removeUnusedIndex(store: Pick<StoreRecord, 'type' | 'parameters'>): Promise<void> {
    await removeStoreIndex(this.#parts.indexFolder, store, await listAllStores(this.database.kysely))
  }

  /** Removes the index of a file that no layer is served from; one that is asked for again is made again. */
  async dropIndex(store: StoreRecord): Promise<void> {
    const others = (await listAllStores(this.database.kysely)).filter(({ id }) => id !== store.id)
    await removeStoreIndex(this.#parts.indexFolder, store, others)
  }

  async createWorkspace(wanted: { name: string; isPublic: boolean; isDefault: boolean }): Promise<void> {
    await this.database.transaction(async (db) => {
      await insertWorkspace(db, { name: wanted.name, isPublic: wanted.isPublic, at: this.#now() })
      if (wanted.isDefault) await saveDefaultWorkspaceName(db, wanted.name)
    })
  }

  /** Deletes an empty workspace; `recurse` takes its stores, layers and styles along, as `deleteStore` does. */
  async deleteWorkspace(name: string, options: { recurse: boolean }): Promise<void> {
    const db = this.database.kysely
    await getWorkspace(db, name)
    const stores = await listStores(db, name)
    if (stores.length > 0 && !options.recurse) {
      throw conflict(
        'workspace-not-empty',
        `Workspace "${name}" has ${stores.length} stores: delete them first, or use recurse=true`,
      )
    }
    for (const store of stores) await this.deleteStore(store, { recurse: true })
    await this.database.transaction(async (transaction) => {
      await transaction.deleteFrom('styles').where('workspace', '=', name).execute()
      await clearDefaultWorkspace(transaction, name)
      await deleteWorkspaceRow(transaction, name)
    })
  }

  #tryAs(maker: StoreMaker | undefined, connection: AnyConnection): Promise<void> {
    return this.tryConnection({
      ...connection,
      ...(maker === 'staff' ? { reach: this.#parts.reachOfStaff() } : {}),
    })
  }

  /** Opens, checks and closes a connection that is not kept. */
  async tryConnection({ type, parameters, reach }: AnyConnection): Promise<void> {
    const { path } = parameters
    if (isCoverageStoreType(type)) {
      await readRaster(path ?? '', AbortSignal.timeout(checkTimeoutMs))
      return
    }
    if (path !== undefined) await mkdir(dirname(path), { recursive: true })
    const store = this.#parts.openVectorStore({
      type,
      parameters,
      ...(reach === undefined ? {} : { reach }),
    })
    try {
      await store.check(AbortSignal.timeout(checkTimeoutMs))
    } finally {
      await store.close()
    }
  }

  close(): Promise<void> {
    return this.connections.close()
  }

  /** Mosaics live by the table of their granules: a store goes with those that it holds. */
  async #deleteMosaicsIn(store: StoreRecord, { recurse }: { recurse: boolean }): Promise<void> {
    const mosaics = await listMosaicsIn(this.database.kysely, store)
    const [first] = mosaics
    if (first !== undefined && !recurse) {
      throw conflict(
        'store-in-use',
        `Store "${store.name}" holds the granules of the mosaic "${first.name}": delete that first, or use recurse=true`,
      )
    }
    for (const mosaic of mosaics) await this.deleteStore(mosaic, { recurse: true })
  }

  /** The table of a mosaic's granules, found while its store can be reached; undefined where there is none. */
  async #findIndexTable(store: StoreRecord): Promise<{ drop(): Promise<void> } | undefined> {
    if (store.type !== mosaicType) return undefined
    const index = await findMosaicIndex(this.database.kysely, store)
    if (index === undefined) return undefined
    const opened = await this.openStore(index.store)
    const isThere = (await opened.listTables()).includes(index.table)
    return isThere ? { drop: () => opened.dropTable(index.table) } : undefined
  }

  async #readState(layer: LayerRecord, signal: AbortSignal): Promise<TableState | undefined> {
    const db = this.database.kysely
    const store = await getStoreById(db, layer.storeId)
    if (store.type === mosaicType) {
      const index = await getMosaicIndex(db, store)
      return (await this.openStore(index.store)).state(index.table, signal)
    }
    if (isCoverageStoreType(store.type)) return rasterState(store.parameters.path ?? '')
    return (await this.openStore(store)).state(layer.nativeName, signal)
  }

  async #refuseTakenStore(workspace: string, name: string): Promise<void> {
    if ((await findStore(this.database.kysely, workspace, name)) === undefined) return
    throw conflict('store-exists', `Store "${name}" exists already in workspace "${workspace}"`)
  }

  #now(): string {
    return this.#parts.clock.now().toISOString()
  }
}

function keepHiddenSecrets(wanted: StoreParameters, current: StoreParameters): StoreParameters {
  const entries = Object.entries(wanted).map(([name, value]) => [
    name,
    value === hiddenSecret ? (current[name] ?? '') : value,
  ])
  return Object.fromEntries(entries) as StoreParameters
}

/** The workspace by name; a name that does not exist is a `Failure` (`invalid`), as in a request body. */
export async function requireWorkspace(catalog: Catalog, name: string): Promise<void> {
  if ((await findWorkspace(catalog.database.kysely, name)) !== undefined) return
  throw invalid('unknown-workspace', `Workspace "${name}" does not exist`)
}

/**
 * The store by name in a workspace; a name that does not exist is a `Failure` (`invalid`). The workspace's default
 * store is made by being named.
 */
export async function requireStore(catalog: Catalog, workspace: string, name: string): Promise<StoreRecord> {
  const store = await findStore(catalog.database.kysely, workspace, name)
  if (store !== undefined) return store
  const isDefault =
    name === workspace && (await findDefaultStore(catalog.database.kysely, workspace)) === undefined
  if (isDefault) return catalog.defaultStore(workspace)
  throw invalid('unknown-store', `Store "${name}" does not exist in workspace "${workspace}"`)
}
