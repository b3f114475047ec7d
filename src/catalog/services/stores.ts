import { conflict, invalid } from '../../core/errors/errors.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { NetworkReach } from '../../core/network/reach.ts'
import type { Vault } from '../../core/secrets/vault.ts'
import {
  isCoverageStoreType,
  type ServedStore,
  type StoreConnection,
  type StoreParameters,
} from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { ConnectionInput } from '../connections/connection-input.ts'
import { changedParameters, toCoverageConnection, toDataConnection } from '../connections/connection-input.ts'
import type { StoreConnections } from '../connections/store-connections.ts'
import { createStoreConnections, partParameters } from '../connections/store-connections.ts'
import { makerAfter } from '../connections/store-makers.ts'
import { tryConnection } from '../connections/try-connection.ts'
import { StoreFiles } from '../files/store-files.ts'
import type { AnyConnection, Discovery, StoreKind, StoreMaker, StoreRecord } from '../records.ts'
import { hiddenSecret } from '../records.ts'
import { listLayers } from '../rows/layer-rows.ts'
import type { MosaicIndex } from '../rows/mosaic-index.ts'
import { getMosaicIndex } from '../rows/mosaic-index.ts'
import type { Revival } from '../rows/restoration.ts'
import {
  findDefaultStore,
  findStore,
  getStoreById,
  insertStore,
  listAllStores,
  listStores,
  setDiscovery,
  setKeepsVersions,
  updateStore,
} from '../rows/store-rows.ts'
import { checkName, getWorkspace } from '../rows/workspace-rows.ts'
import type { RetainedFiles } from '../versions/contents.ts'
import { leaveContents } from '../versions/contents.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { findGoneStore, listGone } from '../versions/gone-stores.ts'
import type { VersionLimits } from '../versions/retention.ts'
import type { DeleteDeps } from './delete-coverage.ts'
import { dropGone, finishLeavingStores } from './delete-coverage.ts'
import { deleteStore, forgetGoneStores } from './delete-store.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

/** Dependencies of stores. */
export interface StoresDeps extends WriteDeps {
  vault: Vault
  openVectorStore(connection: StoreConnection): ServedStore
  /** Permitted network targets of stores that staff create. */
  reachOfStaff(): NetworkReach
  /**
   * Returns the connection of the default store of a workspace; its name is that of the workspace. `taken`
   * are files of the workspace's stores.
   */
  defaultStoreConnection(workspace: string, taken: ReadonlySet<string>): Promise<StoreConnection>
  /** Folder of the server for store files: files in it are deleted with their store. */
  storesFolder: string
  /** True if servers share no disk: stores in files are refused. */
  refusesFiles?: boolean
  /** Folder of the indexes of files that are served directly. */
  indexFolder: string
  /** Limits on retained earlier versions of layers. */
  versionLimits: VersionLimits
  log: Logger
  /** Folders of the operator whose files stores may read. */
  importRoots: readonly string[]
}

/** A new store; its connection is tested first. */
export interface NewStore {
  workspace: string
  name: string
  kind: StoreKind
  connection: AnyConnection
  isEnabled?: boolean
  isDefault?: boolean
  description?: string
  /** True if earlier versions of its layers are retained; default: true. */
  keepsVersions?: boolean
  /** Tables that are published automatically. */
  discovery?: Discovery | null
  /** Role of the creator; absent: the server itself. */
  madeBy?: StoreMaker
}

/** A store as requested by a user; permitted targets of its connection are checked. */
export interface StoreInput extends ConnectionInput {
  workspace: string
  name: string
  kind: StoreKind
  isEnabled?: boolean
  description?: string
  keepsVersions?: boolean
  discovery?: Discovery | null
}

/** Changes to a store by a user; omitted parameters are not changed. */
export interface StoreChanges extends ConnectionInput {
  isEnabled?: boolean
  description?: string
  keepsVersions?: boolean
  /** Null ends the discovery. */
  discovery?: Discovery | null
}

/** Changes to a store; absent properties are not changed. */
export interface StoreChange {
  connection?: AnyConnection
  isEnabled?: boolean
  description?: string
  keepsVersions?: boolean
  discovery?: Discovery | null
  /** Role of the user who makes the change; absent: the server itself. */
  changedBy?: StoreMaker
}

/** Stores, which contain the data of layers, and their open connections. */
export class Stores {
  /** Store files and indexes that belong to the server. */
  readonly files: StoreFiles
  readonly #deps: StoresDeps
  readonly #connections: StoreConnections

  constructor(deps: StoresDeps) {
    this.#deps = deps
    this.#connections = createStoreConnections(deps.vault, deps.openVectorStore, deps)
    this.files = new StoreFiles(deps)
  }

  /** Lists the stores of a workspace by name. */
  list(workspace: string, kind?: StoreKind): Promise<StoreRecord[]> {
    return listStores(this.#deps.database.kysely, workspace, kind)
  }

  /** Lists the stores of all workspaces. */
  listAll(): Promise<StoreRecord[]> {
    return listAllStores(this.#deps.database.kysely)
  }

  find(workspace: string, name: string): Promise<StoreRecord | undefined> {
    return findStore(this.#deps.database.kysely, workspace, name)
  }

  /** Throws `Failure` (`not-found`) for a store that does not exist. */
  get(id: number): Promise<StoreRecord> {
    return getStoreById(this.#deps.database.kysely, id)
  }

  async findById(id: number): Promise<StoreRecord | undefined> {
    return (await this.listAll()).find((store) => store.id === id)
  }

  /**
   * Returns the store named in a request body; a missing one is a `Failure` (`invalid`). Creates the default
   * store of the workspace if it does not exist.
   */
  async require(workspace: string, name: string): Promise<StoreRecord> {
    const store = await this.find(workspace, name)
    if (store !== undefined) return store
    if (name === workspace && (await this.#findDefault(workspace)) === undefined)
      return this.getDefault(workspace)
    throw invalid('unknown-store', `Store "${name}" does not exist in workspace "${workspace}"`)
  }

  /** Returns the default store of a workspace, created on first use. */
  async getDefault(workspace: string): Promise<StoreRecord> {
    const known = await this.#findDefault(workspace)
    if (known !== undefined) return known
    await getWorkspace(this.#deps.database.kysely, workspace)
    const connection = await this.#deps.defaultStoreConnection(workspace, await this.files.listOf(workspace))
    const name = (await this.find(workspace, workspace)) === undefined ? workspace : `${workspace}_default`
    try {
      return await this.create({ workspace, name, kind: 'dataStore', connection, isDefault: true })
    } catch (error) {
      const raced = await this.#findDefault(workspace)
      if (raced !== undefined) return raced
      throw error
    }
  }

  /** Returns the granule table of a mosaic and its data store. */
  getMosaicIndex(mosaic: StoreRecord): Promise<MosaicIndex> {
    return getMosaicIndex(this.#deps.database.kysely, mosaic)
  }

  /** Opens a store for reading or loading; it stays open until it changes or the server stops. */
  open(store: StoreRecord): Promise<ServedStore> {
    return this.#connections.open(this.#deps.database.kysely, store)
  }

  /** Returns type and parameters, including secrets: what a worker needs to open the store itself. */
  connection(store: StoreRecord): Promise<StoreConnection> {
    return this.#connections.connection(this.#deps.database.kysely, store)
  }

  /**
   * Returns the connection that opens the retained files of an earlier version, whatever store the layer is
   * in now.
   */
  keptConnection({ type, parameters }: RetainedFiles): StoreConnection {
    if (isCoverageStoreType(type)) throw invalid('no-data-store', 'Files of a coverage hold no features')
    const isIndexed = findStoreDescription(type)?.file?.isIndexed === true
    return { type, parameters, indexFolder: isIndexed ? this.#deps.indexFolder : undefined }
  }

  /** Opens, checks and closes a connection without caching it. */
  try(connection: AnyConnection): Promise<void> {
    return tryConnection(connection, this.#deps.openVectorStore)
  }

  /**
   * Tests the connection, then creates the store; a wrong host, password or file is a `Failure` with the
   * reason.
   */
  async create(newStore: NewStore): Promise<StoreRecord> {
    const { workspace, name, connection, madeBy } = newStore
    const { database, vault } = this.#deps
    checkName('Store', name)
    await getWorkspace(database.kysely, workspace)
    if ((await this.find(workspace, name)) !== undefined)
      throw conflict('store-exists', `Store "${name}" exists already in workspace "${workspace}"`)
    await this.#tryAs(madeBy, connection)
    const values = {
      ...partParameters(connection.parameters, vault),
      kind: newStore.kind,
      type: connection.type,
      isEnabled: newStore.isEnabled ?? true,
      isDefault: newStore.isDefault ?? false,
      description: newStore.description,
      madeBy,
    }
    const target = { workspace, name, at: nowOf(this.#deps.clock) }
    const id = await database.transaction(async (db) => {
      const made = await insertStore(db, target, values)
      if (newStore.keepsVersions === false) await setKeepsVersions(db, made, false)
      if (newStore.discovery) await setDiscovery(db, made, newStore.discovery)
      return made
    })
    return this.get(id)
  }

  /** Changes a store; a secret given as `********` is not changed. */
  async change(store: StoreRecord, change: StoreChange): Promise<StoreRecord> {
    const current = await this.#currentConnection(store, change)
    const connection = change.connection ?? current
    const parameters = keepHiddenSecrets(connection.parameters, current.parameters)
    const madeBy = makerAfter(store, change, parameters)
    if (change.connection !== undefined) await this.#tryAs(madeBy, { type: connection.type, parameters })
    const values = {
      ...partParameters(parameters, this.#deps.vault),
      kind: store.kind,
      type: connection.type,
      isEnabled: change.isEnabled ?? store.isEnabled,
      isDefault: store.isDefault,
      description: change.description ?? store.description,
      madeBy,
    }
    const at = nowOf(this.#deps.clock)
    const { keepsVersions, discovery } = change
    await this.#deps.database.transaction(async (db) => {
      if (keepsVersions !== undefined) await setKeepsVersions(db, store.id, keepsVersions)
      if (discovery !== undefined) await setDiscovery(db, store.id, discovery ?? undefined)
      await updateStore(db, store.id, values, at)
      if (change.connection !== undefined && change.changedBy !== undefined)
        await leaveContents(db, store.id, at)
    })
    await this.#connections.forget(store.id)
    return this.get(store.id)
  }

  /** Returns the connection before a change; without its secrets if the change sets all of them. */
  async #currentConnection(store: StoreRecord, { connection }: StoreChange): Promise<AnyConnection> {
    const { type, parameters } = store
    const given = connection?.parameters ?? {}
    const isGiven = (name: string): boolean => given[name] !== undefined && given[name] !== hiddenSecret
    if (isCoverageStoreType(type) || store.secretNames.every(isGiven)) return { type, parameters }
    return this.connection(store)
  }

  /** Tests the connection of a store. Returns the number of its tables, if it has tables. */
  async check(store: StoreRecord): Promise<number | undefined> {
    if (isCoverageStoreType(store.type)) {
      await this.try({ type: store.type, parameters: store.parameters })
      return undefined
    }
    await this.#tryAs(store.madeBy, await this.connection(store))
    return (await (await this.open(store)).listTables()).length
  }

  /**
   * Tests what `createFor` would create, without creating it; for a file also checks that the path is
   * permitted.
   */
  async tryFor(madeBy: StoreMaker, { type, parameters, ...requested }: StoreInput): Promise<void> {
    await getWorkspace(this.#deps.database.kysely, requested.workspace)
    const connection = await this.#allowed(requested.kind, { type, parameters }, requested)
    const isNew = connection.parameters.path !== undefined && requested.kind === 'dataStore'
    if (!isNew) await this.#tryAs(madeBy, connection)
  }

  /** Like `create`, for users: restricts the targets of the connection. */
  async createFor(madeBy: StoreMaker, { type, parameters, ...requested }: StoreInput): Promise<StoreRecord> {
    const { kind, workspace } = requested
    await getWorkspace(this.#deps.database.kysely, workspace)
    const connection = await this.#allowed(kind, { type, parameters }, requested)
    return this.create({ ...requested, connection, madeBy })
  }

  /** Like `change`, for users. */
  async changeFor(
    changedBy: StoreMaker,
    store: StoreRecord,
    { type = store.type, parameters: given, ...plain }: StoreChanges,
  ): Promise<StoreRecord> {
    if (store.kind === 'coverageStore')
      return this.change(store, { ...plain, ...(await this.#otherFile(store, given)) })
    const parameters = changedParameters(store, given)
    const connection =
      parameters === undefined ? undefined : await this.#allowed(store.kind, { type, parameters }, store)
    return this.change(store, { ...plain, connection, changedBy })
  }

  /**
   * Deletes a store without layers; `recurse` unpublishes its layers first. A file of the server is deleted
   * with it; tables remain.
   */
  delete(store: StoreRecord, options: { recurse: boolean }): Promise<void> {
    return deleteStore(this.#deleting(), store, options)
  }

  /** Removes the retained contents of deleted stores of a workspace. */
  forgetGone(workspace: string): Promise<void> {
    return forgetGoneStores(this.#deleting(), ({ gone: { store } }) => store.workspace === workspace)
  }

  /** Removes the retained contents of a deleted store. */
  dropGone(content: GoneContent): Promise<void> {
    return dropGone(this.#deleting(), content)
  }

  /** Completes deletions of stores that an earlier process started. */
  finishDeletions(): Promise<void> {
    return finishLeavingStores(this.#deleting())
  }

  /** Returns a store, or a deleted one while layers of it can be restored. */
  async getOrGone(id: number): Promise<StoreRecord> {
    return (await findGoneStore(this.#deps.database.kysely, id)) ?? this.get(id)
  }

  /** Moves the files of a deleted store back; undefined for an existing store. */
  async restoreVersion(id: number): Promise<Revival | undefined> {
    const gone = (await listGone(this.#deps.database.kysely)).filter(({ storeId }) => storeId === id)
    const [first] = gone
    if (first === undefined) return undefined
    const moved = new Map<number, RetainedFiles>()
    for (const content of gone)
      moved.set(content.id, { type: content.files.type, parameters: await this.files.moveBack(content) })
    return { store: first.gone.store, moved }
  }

  #deleting(): DeleteDeps {
    const forget = (id: number): Promise<void> => this.#connections.forget(id)
    return { ...this.#deps, files: this.files, open: (one) => this.open(one), forget }
  }

  /** Closes open stores and leaves files without a log. Stores used afterwards are opened again. */
  close(): Promise<void> {
    return this.#connections.close()
  }

  async #allowed(
    kind: StoreKind,
    given: ConnectionInput,
    { workspace, name }: { workspace: string; name: string },
  ): Promise<AnyConnection> {
    const { storesFolder, refusesFiles, importRoots } = this.#deps
    const taken = await this.files.listOf(workspace)
    const context = { workspace, name, storesFolder, refusesFiles, importRoots, taken }
    return kind === 'dataStore' ? toDataConnection(given, context) : toCoverageConnection(given, context)
  }

  /**
   * Returns the new file of a coverage store. Properties of its cells in layers come from the previous file.
   */
  async #otherFile(store: StoreRecord, parameters: StoreParameters): Promise<{ connection?: AnyConnection }> {
    if (Object.keys(parameters).length === 0) return {}
    const connection = await this.#allowed(store.kind, { type: store.type, parameters }, store)
    if (connection.parameters.path === store.parameters.path) return {}
    const [layer] = await listLayers(this.#deps.database.kysely, { storeId: store.id })
    if (layer === undefined) return { connection }
    throw conflict(
      'store-in-use',
      `Layer "${layer.name}" shows the file of store "${store.name}": import the new file with updateMode REPLACE`,
    )
  }

  #findDefault(workspace: string): Promise<StoreRecord | undefined> {
    return findDefaultStore(this.#deps.database.kysely, workspace)
  }

  #tryAs(maker: StoreMaker | undefined, connection: AnyConnection): Promise<void> {
    return this.try({
      ...connection,
      reach: maker === 'staff' ? this.#deps.reachOfStaff() : connection.reach,
    })
  }
}

function keepHiddenSecrets(storeParameters: StoreParameters, current: StoreParameters): StoreParameters {
  const entries = Object.entries(storeParameters).map(([name, value]) => [
    name,
    value === hiddenSecret ? (current[name] ?? '') : value,
  ])
  return Object.fromEntries(entries) as StoreParameters
}
