import type { StyleFormat } from '../../cartography/style-format.ts'
import type { Queryable } from '../../db/connection.ts'
import { findFreeName, freeName } from '../../lib/text/free-name.ts'
import type { AnyStoreType } from '../../stores/rasters/coverage-types.ts'
import { isCoverageStoreType, mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { StoreParameters } from '../../stores/store.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import type { AnnouncedChange } from '../rows/changing-layers.ts'
import { beginChange, isChangedBy, isChanging, layersOfTable } from '../rows/changing-layers.ts'
import type { LayerEdit } from '../rows/edited-layer.ts'
import { editLayer } from '../rows/edited-layer.ts'
import { findLayer, findLayerById } from '../rows/layer-rows.ts'
import type { MosaicPlace } from '../rows/mosaic-index.ts'
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

/** A store over a file that its maker has seen; nothing is opened for it. */
export interface NewFileStore {
  /** The name wanted; a taken one gets a number behind it. */
  name: string
  type: AnyStoreType
  parameters: StoreParameters
}

/** How a layer's data came: what is announced with it. */
export interface Loaded {
  mode: string
  rows: number
}

/** By what a layer is published: also what its version tells. */
export interface LoadedBy extends Loaded, Omit<VersionNote, 'at' | 'cause' | 'mode' | 'rowsLoaded'> {}

/** A layer that was published, to be announced once its transaction is committed. */
export interface PublishedLayer extends Loaded {
  workspace: string
  layer: string
}

/** What the catalogue reads and writes inside one transaction, which `Catalog.transaction` begins and ends. */
export class CatalogTransaction {
  readonly published: PublishedLayer[] = []
  readonly #db: Queryable
  readonly #now: () => string

  constructor(transaction: Queryable, now: () => string) {
    this.#db = transaction
    this.#now = now
  }

  /** Lets one transaction at a time go on from here in a workspace, so that two of them do not choose the same name. */
  lockWorkspace(name: string): Promise<void> {
    return lockWorkspace(this.#db, name)
  }

  getStore(id: number): Promise<StoreRecord> {
    return getStoreById(this.#db, id)
  }

  /** The store over a file of this type, where the workspace has one. */
  async findFileStore(
    workspace: string,
    { type, path }: { type: AnyStoreType; path: string | undefined },
  ): Promise<StoreRecord | undefined> {
    const stores = await listStores(this.#db, workspace)
    return stores.find((store) => store.type === type && store.parameters.path === path)
  }

  /** Adds a store over a file, under a free name. */
  async addFileStore(
    workspace: string,
    { name: wanted, type, parameters }: NewFileStore,
  ): Promise<StoreRecord> {
    const taken = new Set((await listStores(this.#db, workspace)).map((store) => store.name))
    const name = freeName(wanted, (one) => taken.has(one))
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

  /** Adds the store of a mosaic over the table of its granules, under a free name. */
  addMosaicStore(workspace: string, name: string, place: MosaicPlace): Promise<StoreRecord> {
    return this.addFileStore(workspace, { name, type: mosaicType, parameters: toMosaicParameters(place) })
  }

  /**
   * Points a store without secrets to another file, which may be of another type. Its layers change with it, but for the one
   * that is refreshed in this transaction, and those that show its table: they change by what was loaded.
   */
  async moveStore(
    id: number,
    place: { type: AnyStoreType; parameters: StoreParameters },
    refreshed: { layerName: string; table: string },
  ): Promise<StoreRecord> {
    const { workspace } = await getStoreById(this.#db, id)
    const layer = await findLayer(this.#db, workspace, refreshed.layerName)
    const beside = await layersOfTable(this.#db, { storeId: id, table: refreshed.table })
    const but = layer === undefined ? [] : [layer.id, ...beside]
    await moveStore(this.#db, id, place, { at: this.#now(), but })
    return getStoreById(this.#db, id)
  }

  findLayer(workspace: string, name: string): Promise<LayerRecord | undefined> {
    return findLayer(this.#db, workspace, name)
  }

  /** Publishes a new layer under a free name. */
  async publishLayer(wanted: Publication, loaded: LoadedBy): Promise<LayerRecord> {
    return this.#announce(await publishNewLayer(this.#db, wanted, this.#now(), this.#noteOf(loaded)), loaded)
  }

  /** Writes what a load has changed of a layer; undefined where there is no such layer any more. */
  async refreshLayer(
    place: { workspace: string; name: string },
    refresh: Refresh,
    loaded: LoadedBy,
  ): Promise<LayerRecord | undefined> {
    const layer = await refreshLayer(this.#db, place, refresh, this.#noteOf(loaded))
    return layer === undefined ? undefined : this.#announce(layer, loaded)
  }

  /** Makes a layer what it was, as a new version; it is announced like one that was loaded. */
  async restoreLayer(restoration: Restoration): Promise<LayerRecord> {
    await this.lockWorkspace(restoration.version.workspace)
    const layer = await restoreLayer(this.#db, restoration, this.#now())
    return this.#announce(layer, { mode: 'RESTORE', rows: layer.details.featureCount ?? 0 })
  }

  /**
   * A store is about to write or commit an edit: from now on nothing that is read of its layers is told as current. False
   * where the layer has another version than `version`, or another change of it is under way: then nothing is done.
   */
  async beginEdit(
    { id, version }: Pick<LayerRecord, 'id' | 'version'>,
    table: AnnouncedChange,
    editId: string,
  ): Promise<boolean> {
    const layer = await findLayerById(this.#db, id)
    const at = this.#now()
    if (layer?.version !== version || isChanging(layer, Date.parse(at))) return false
    await beginChange(this.#db, table, { loadId: editId, at })
    return true
  }

  /**
   * Writes what an edit of a feature has changed of a layer; undefined where the layer is gone, or others have changed it since
   * the edit was begun.
   */
  async editLayer(editId: string, edit: LayerEdit): Promise<LayerRecord | undefined> {
    const known = await findLayerById(this.#db, edit.layerId)
    if (known === undefined || !isChangedBy(known, editId)) return undefined
    const layer = await editLayer(this.#db, known, edit, this.#now())
    const rows = layer?.details.featureCount ?? 0
    return layer && this.#announce(layer, { mode: editMode, rows })
  }

  /** Keeps a style under a free name of its workspace, which is given. */
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
