import type { Database, Queryable } from '../../core/db/connection.ts'
import type { EventBus } from '../../core/events/events.ts'
import { findFreeName, freeName } from '../../core/text/free-name.ts'
import type { Clock } from '../../core/time/clock.ts'
import {
  type AnyStoreType,
  isCoverageStoreType,
  mosaicType,
  type StoreParameters,
} from '../../stores/index.ts'
import type { StyleFormat } from '../../styles/index.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import type { AnnouncedChange } from '../rows/changing-layers.ts'
import { beginLayerChange, isChangedBy, isChanging, layersOfTable } from '../rows/changing-layers.ts'
import type { LayerEdit } from '../rows/edited-layer.ts'
import { editLayer } from '../rows/edited-layer.ts'
import { findLayer, findLayerById } from '../rows/layer-rows.ts'
import type { MosaicLocation } from '../rows/mosaic-index.ts'
import { toMosaicParameters } from '../rows/mosaic-index.ts'
import type { Publication, Refresh } from '../rows/publication.ts'
import { publishNewLayer, refreshLayer } from '../rows/publication.ts'
import type { Restoration } from '../rows/restoration.ts'
import { restoreLayer } from '../rows/restoration.ts'
import { findStore, getStoreById, insertStore, listStores, moveStore } from '../rows/store-rows.ts'
import { findStyle, insertStyle } from '../rows/style-rows.ts'
import { lockWorkspace } from '../rows/workspace-rows.ts'
import type { VersionNote } from '../versions/record-versions.ts'
import { editMode } from '../versions/record-versions.ts'

/** A new store over a file that the caller has checked; the file is not opened. */
export interface NewFileStore {
  /** Requested name; a number is appended if it is in use. */
  name: string
  type: AnyStoreType
  parameters: StoreParameters
}

/** Facts about a load of a layer's data, for the announcement. */
export interface Loaded {
  mode: string
  rows: number
}

/** Origin of a published layer, also recorded with its version. */
export interface LoadedBy extends Loaded, Omit<VersionNote, 'at' | 'cause' | 'mode' | 'rowsLoaded'> {}

/** A published layer, to be announced after its transaction is committed. */
export interface PublishedLayer extends Loaded {
  workspace: string
  layer: string
}

/** Catalogue operations inside one transaction, which `Catalog.transaction` starts and ends. */
export class CatalogTransaction {
  readonly published: PublishedLayer[] = []
  readonly #db: Queryable
  readonly #now: () => string

  constructor(transaction: Queryable, now: () => string) {
    this.#db = transaction
    this.#now = now
  }

  /**
   * Locks a workspace for the rest of the transaction, so that concurrent ones do not choose the same name.
   */
  lockWorkspace(name: string): Promise<void> {
    return lockWorkspace(this.#db, name)
  }

  getStore(id: number): Promise<StoreRecord> {
    return getStoreById(this.#db, id)
  }

  /** Returns the store over a file of this type, if the workspace has one. */
  async findFileStore(
    workspace: string,
    { type, path }: { type: AnyStoreType; path: string | undefined },
  ): Promise<StoreRecord | undefined> {
    const stores = await listStores(this.#db, workspace)
    return stores.find((store) => store.type === type && store.parameters.path === path)
  }

  /** Creates a store over a file, under an unused name. */
  async addFileStore(
    workspace: string,
    { name: requested, type, parameters }: NewFileStore,
  ): Promise<StoreRecord> {
    const taken = new Set((await listStores(this.#db, workspace)).map((store) => store.name))
    const name = freeName(requested, (one) => taken.has(one))
    const id = await insertStore(
      this.#db,
      { workspace, name, at: this.#now() },
      {
        kind: isCoverageStoreType(type) ? 'coverageStore' : 'dataStore',
        type,
        isEnabled: true,
        isDefault: false,
        parameters,
        secretNames: [],
        sealed: '',
        description: undefined,
      },
    )
    return (await findStore(this.#db, workspace, name)) ?? getStoreById(this.#db, id)
  }

  /** Creates the store of a mosaic over its granule table, under an unused name. */
  addMosaicStore(workspace: string, name: string, location: MosaicLocation): Promise<StoreRecord> {
    return this.addFileStore(workspace, { name, type: mosaicType, parameters: toMosaicParameters(location) })
  }

  /**
   * Switches a store without secrets to another file, which may have another type. Its layers get new
   * versions, except the one refreshed in this transaction and those over its table: the load changes them.
   */
  async moveStore(
    id: number,
    connection: { type: AnyStoreType; parameters: StoreParameters },
    refreshed: { layerName: string; table: string },
  ): Promise<StoreRecord> {
    const { workspace } = await getStoreById(this.#db, id)
    const layer = await findLayer(this.#db, workspace, refreshed.layerName)
    const beside = await layersOfTable(this.#db, { storeId: id, table: refreshed.table })
    const but = layer === undefined ? [] : [layer.id, ...beside]
    await moveStore(this.#db, id, connection, { at: this.#now(), but })
    return getStoreById(this.#db, id)
  }

  findLayer(workspace: string, name: string): Promise<LayerRecord | undefined> {
    return findLayer(this.#db, workspace, name)
  }

  /** Publishes a new layer under an unused name. */
  async publishLayer(publication: Publication, loaded: LoadedBy): Promise<LayerRecord> {
    return this.#announce(
      await publishNewLayer(this.#db, publication, this.#now(), this.#noteOf(loaded)),
      loaded,
    )
  }

  /** Stores the changes of a layer by a load; undefined if the layer no longer exists. */
  async refreshLayer(
    target: { workspace: string; name: string },
    refresh: Refresh,
    loaded: LoadedBy,
  ): Promise<LayerRecord | undefined> {
    const layer = await refreshLayer(this.#db, target, refresh, this.#noteOf(loaded))
    return layer === undefined ? undefined : this.#announce(layer, loaded)
  }

  /** Restores a layer as a new version; announced like a load. */
  async restoreLayer(restoration: Restoration): Promise<LayerRecord> {
    await this.lockWorkspace(restoration.version.workspace)
    const layer = await restoreLayer(this.#db, restoration, this.#now())
    return this.#announce(layer, { mode: 'RESTORE', rows: layer.details.featureCount ?? 0 })
  }

  /**
   * Call before a store writes or commits an edit: from now on no response of its layers counts as current.
   * Returns false, without effect, if the version of the layer is not `version`, or if another change is in
   * progress.
   */
  async beginEdit(
    { id, version }: Pick<LayerRecord, 'id' | 'version'>,
    table: AnnouncedChange,
    editId: string,
  ): Promise<boolean> {
    const layer = await findLayerById(this.#db, id)
    const at = this.#now()
    if (layer?.version !== version || isChanging(layer, Date.parse(at))) return false
    await beginLayerChange(this.#db, table, { loadId: editId, at })
    return true
  }

  /**
   * Stores how the edit of a feature changes a layer; undefined if the layer was deleted, or changed since
   * the edit started.
   */
  async editLayer(editId: string, edit: LayerEdit): Promise<LayerRecord | undefined> {
    const known = await findLayerById(this.#db, edit.layerId)
    if (known === undefined || !isChangedBy(known, editId)) return undefined
    const layer = await editLayer(this.#db, known, edit, this.#now())
    const rows = layer?.details.featureCount ?? 0
    return layer && this.#announce(layer, { mode: editMode, rows })
  }

  /** Stores a style under an unused name of its workspace and returns the name. */
  async addStyle(
    workspace: string,
    style: { name: string; format: StyleFormat; document: string },
  ): Promise<string> {
    const isTaken = async (name: string) => (await findStyle(this.#db, workspace, name)) !== undefined
    const name = await findFreeName(style.name, isTaken)
    await insertStyle(this.#db, { ...style, workspace, name }, this.#now())
    return name
  }

  #noteOf({ rows: rowsLoaded, ...loaded }: LoadedBy): VersionNote {
    return { ...loaded, rowsLoaded, at: this.#now(), cause: 'import' }
  }

  #announce(layer: LayerRecord, { mode, rows }: Loaded): LayerRecord {
    this.published.push({ workspace: layer.workspace, layer: layer.name, mode, rows })
    return layer
  }
}

export type { LayerEdit } from '../rows/edited-layer.ts'

/** Dependencies for writing to the catalogue. */
export interface WriteDeps {
  database: Database
  clock: Clock
  events: EventBus
}

/** Returns the time recorded for a change. */
export function nowOf(clock: Clock): string {
  return clock.now().toISOString()
}
