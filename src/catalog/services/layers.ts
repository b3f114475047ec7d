import { existsSync } from 'node:fs'
import { invalid } from '../../core/errors/errors.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Translations } from '../../core/text/translations.ts'
import { defined } from '../../core/values/defined.ts'
import {
  isCoverageStoreType,
  mosaicType,
  rasterState,
  type ServedStore,
  type TableState,
} from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import { storeOfFile } from '../files/raster-folder.ts'
import type { InPlace, LayerRecord, Managed, StoreRecord } from '../records.ts'
import type { AnnouncedChange, UnchangedLayer } from '../rows/changing-layers.ts'
import { beginLayerChange, endChange, isChanging, listChanging } from '../rows/changing-layers.ts'
import { checkManaged } from '../rows/in-place.ts'
import {
  deleteLayerRow,
  findCountedLayers,
  findLayer,
  findLayerById,
  findNamedLayer,
  getLayer,
  listLayerNames,
  listLayers,
  listLayerVersions,
  updateLayer,
} from '../rows/layer-rows.ts'
import { restoreLayer } from '../rows/restoration.ts'
import { excludeFromDiscovery, getStoreById } from '../rows/store-rows.ts'
import { resolveStyle } from '../rows/style-rows.ts'
import { findVersion, latestVersionOf } from '../versions/version-rows.ts'
import { LayerLookup } from './layer-lookup.ts'
import type { LayerVersion, StateReading } from './layer-versions.ts'
import { LayerVersions } from './layer-versions.ts'
import { RowLookup } from './row-lookup.ts'
import type { SnapshotTableDeps } from './snapshot-table.ts'
import { finishLeaving, leaveTable, noteLeaving, planLeaving } from './snapshot-table.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'
import type { Versions } from './versions.ts'

/** Changeable properties of a published layer; absent ones are not changed. */
export interface LayerChange {
  title?: string | undefined
  abstract?: string | undefined
  description?: string | undefined
  keywords?: string[] | undefined
  attribution?: string | undefined
  licence?: string | undefined
  contact?: string | undefined
  owner?: string | undefined
  citation?: string | undefined
  /** Without prefix or address; empty to remove it. */
  doi?: string | undefined
  translations?: Translations | undefined
  /** Name of a style of the layer's workspace or of a global one. */
  style?: string | undefined
  /** Names of further styles in which the layer is offered. */
  styles?: string[] | undefined
  /** `workspace`: as set for its workspace. */
  isPublic?: boolean | 'workspace' | undefined
  /** Permitted changes of the table; only for one that was published in place. */
  managed?: Managed | undefined
  /** Empty to forget which columns of that table were dropped or changed. */
  altered?: string[] | undefined
}

const lookMs = 15_000

/** Layers: published data of stores. */
export class Layers {
  readonly #deps: WriteDeps
  readonly #stores: Stores
  readonly #keeping: Pick<Versions, 'howToKeep'>
  readonly #versions: LayerVersions
  readonly #found: LayerLookup
  readonly #foundStores: RowLookup<StoreRecord>

  constructor(
    deps: WriteDeps & { storesFolder: string },
    stores: Stores,
    versions: Pick<Versions, 'howToKeep'>,
  ) {
    this.#deps = deps
    this.#stores = stores
    this.#keeping = versions
    this.#found = new LayerLookup(deps.database)
    this.#foundStores = new RowLookup(deps.database, getStoreById)
    this.#versions = new LayerVersions(deps, (layer, signal) => this.#readState(layer, signal))
  }

  close(): Promise<void> {
    return this.#versions.close()
  }

  /** Lists all layers, or those of a workspace or a store, by workspace and name. */
  list(filter: { workspace?: string; storeId?: number } = {}): Promise<LayerRecord[]> {
    return listLayers(this.#deps.database.kysely, filter)
  }

  /** Returns the names of all layers, in no particular order. */
  listNames(): Promise<{ workspace: string; name: string }[]> {
    return listLayerNames(this.#deps.database.kysely)
  }

  /** Lists every layer by id, with its version in the catalogue. */
  listVersions(): Promise<[id: number, version: number][]> {
    return listLayerVersions(this.#deps.database.kysely)
  }

  /**
   * Like `find`. Unchanged layers are not read again: for frequent requests.
   */
  findForReading(workspace: string, name: string): Promise<LayerRecord | undefined> {
    return this.#found.find(workspace, name)
  }

  find(workspace: string, name: string): Promise<LayerRecord | undefined> {
    return findLayer(this.#deps.database.kysely, workspace, name)
  }

  /** Throws `Failure` (`not-found`) for a layer that does not exist. */
  get(workspace: string, name: string): Promise<LayerRecord> {
    return getLayer(this.#deps.database.kysely, workspace, name)
  }

  /** Returns the layer `<workspace>:<name>`; a name without a workspace refers to the default workspace. */
  findNamed(text: string): Promise<LayerRecord | undefined> {
    return findNamedLayer(this.#deps.database.kysely, text)
  }

  /** Returns the layers that show a table of a store. */
  async showing(store: Pick<StoreRecord, 'id'>, table: string): Promise<LayerRecord[]> {
    const layers = await this.list({ storeId: store.id })
    return layers.filter(({ nativeName }) => nativeName.toLowerCase() === table.toLowerCase())
  }

  /** Returns the store with the data of a layer; of a folder of rasters only the file of the layer. */
  async storeOf(layer: Pick<LayerRecord, 'storeId' | 'nativeName' | 'details'>): Promise<StoreRecord> {
    return storeOfFile(await this.#stores.get(layer.storeId), layer)
  }

  openStoreOf({ storeId }: Pick<LayerRecord, 'storeId'>): Promise<ServedStore> {
    const known = this.#foundStores.known(storeId)
    if (known !== undefined) return this.#stores.open(known.row)
    return this.#foundStores.get(storeId).then((store) => this.#stores.open(store))
  }

  /**
   * Returns the present version of a layer, after checking for foreign changes to its data; never waits long.
   */
  versionOf(layer: LayerRecord): Promise<LayerVersion> {
    return this.#versions.of(layer)
  }

  /**
   * True if the layer is unchanged in the catalogue since it was read, and no load of Terrane is about to
   * change its data.
   */
  async isSettled(layer: LayerRecord): Promise<boolean> {
    const found = await this.#found.find(layer.workspace, layer.name)
    if (found?.version !== layer.version) return false
    return !isChanging(found, this.#deps.clock.now().getTime())
  }

  /** Finds a layer by its id. */
  findById(id: number): Promise<LayerRecord | undefined> {
    return findLayerById(this.#deps.database.kysely, id)
  }

  /** Returns the existing layers with these ids, in no particular order. */
  async findByIds(ids: readonly number[]): Promise<LayerRecord[]> {
    return (await findCountedLayers(this.#deps.database.kysely, ids)).map(({ layer }) => layer)
  }

  /**
   * True if data read since `before` was returned belong to that version only: according to a state read now,
   * or to the state that the reader of the data determined afterwards.
   */
  isStill(layer: Pick<LayerRecord, 'id'>, before: LayerVersion, after?: StateReading): Promise<boolean> {
    return this.#versions.isStill(layer, before, after)
  }

  /**
   * Call before a store commits a load: from now on no response of its layers counts as current, until the
   * layer is refreshed or `giveUpChange` is called.
   */
  announceChange(change: AnnouncedChange, loadId: string): Promise<void> {
    const at = nowOf(this.#deps.clock)
    return beginLayerChange(this.#deps.database.kysely, change, { loadId, at })
  }

  /** Withdraws an announced change: unless others have written in the meantime, its layers are unchanged. */
  async giveUpChange(loadId: string): Promise<void> {
    const db = this.#deps.database.kysely
    for (const layer of await listChanging(db, loadId))
      await endChange(db, loadId, { id: layer.id, seen: await this.#seenNow(layer) })
  }

  /**
   * An interrupted load changes the visible state of a table, which its store recognizes as unchanged by the
   * mark.
   */
  async #seenNow({ id, seen, touched }: UnchangedLayer): Promise<string | undefined> {
    const layer = seen === undefined || touched === undefined ? undefined : await this.findById(id)
    if (layer === undefined || touched === undefined) return seen
    const { states } = await this.openStoreOf(layer)
    if ((await states?.isUnchanged?.(touched.table, touched.mark)) !== true) return seen
    return (await this.#readState(layer, AbortSignal.timeout(lookMs)))?.text ?? seen
  }

  /**
   * Call before any other work: whoever opens a file first removes what a crashed process left in its log,
   * which shows that nothing was changed.
   */
  async lookAtLogs(): Promise<void> {
    for (const store of await this.#stores.listAll()) {
      const { path } = store.parameters
      if (path === undefined || !existsSync(`${path}-wal`)) continue
      const opened = await this.#stores.open(store).catch(() => undefined)
      await opened?.state('', AbortSignal.timeout(lookMs)).catch(() => undefined)
    }
  }

  /**
   * Reads the state of the data immediately. Throws `Failure` (`unavailable`) if the store does not respond.
   */
  refreshVersion(layer: LayerRecord): Promise<LayerVersion> {
    return this.#versions.refresh(layer)
  }

  /** Changes the given properties of a layer; an unknown style is a `Failure` (`invalid`). */
  async change(layer: LayerRecord, change: LayerChange): Promise<void> {
    const db = this.#deps.database.kysely
    const { style, isPublic: request, managed, altered, ...texts } = change
    for (const name of style === undefined ? (change.styles ?? []) : [style, ...(change.styles ?? [])])
      if ((await resolveStyle(db, layer.workspace, name)) === undefined)
        throw invalid('unknown-style', `Style "${name}" does not exist`)
    const inPlace = managed === undefined && altered === undefined ? undefined : inPlaceAfter(layer, change)
    const details = { ...layer.details, ...defined({ ...texts, style, inPlace }) }
    const isPublic = request === 'workspace' ? undefined : (request ?? layer.isPublic)
    const cause = style === undefined || style === layer.details.style ? 'edit' : 'style'
    const note = { at: nowOf(this.#deps.clock), cause } as const
    await this.#deps.database.transaction(async (one) => {
      await updateLayer(one, { ...layer, details, isPublic }, note)
      passStep('change.written')
    })
  }

  /**
   * Unpublishes a layer. `recurse` also drops its table, or the store of a coverage, if no other layer shows
   * it. A mosaic is deleted as a whole.
   */
  async delete(layer: LayerRecord, { recurse }: { recurse: boolean }): Promise<void> {
    const { database, events } = this.#deps
    const store = await this.#stores.get(layer.storeId)
    const { inPlace } = layer.details
    if (store.type === mosaicType) return this.#stores.delete(store, { recurse: true })
    const neighbours = await this.list({ storeId: store.id })
    if (recurse && inPlace === undefined && isCoverageStoreType(store.type) && neighbours.length === 1)
      return this.#stores.delete(store, { recurse: true })
    const isShared = neighbours.some(
      ({ id, nativeName }) => id !== layer.id && nativeName === layer.nativeName,
    )
    const isLoaded = findStoreDescription(store.type)?.can.takesLoads === true && inPlace === undefined
    const leaving =
      recurse && !isShared && isLoaded ? await planLeaving(this.#asideParts(), store, layer) : undefined
    const at = nowOf(this.#deps.clock)
    const removed = { workspace: layer.workspace, layer: layer.name }
    await database.transaction(async (db) => {
      if (leaving !== undefined) await noteLeaving(db, leaving, at)
      await deleteLayerRow(db, layer, at)
      if (inPlace !== undefined) await excludeFromDiscovery(db, store, layer.nativeName)
      await events.record(db, { name: 'layer.removed', fact: removed })
    })
    passStep('delete.noted')
    events.emit('layer.removed', removed)
    if (neighbours.length === 1) await this.#stores.files.dropIndex(store)
    if (leaving === undefined) return
    await leaveTable(this.#asideParts(), leaving).catch(async (error: unknown) => {
      await this.#publishAgain(layer)
      throw error
    })
  }

  /** Publishes a deleted layer again whose table must remain because other objects depend on it. */
  async #publishAgain({ id }: LayerRecord): Promise<void> {
    const { database, events } = this.#deps
    const fact = await database.transaction(async (db) => {
      const version = await findVersion(db, id, await latestVersionOf(db, id))
      if (version === undefined) return undefined
      const layer = await restoreLayer(db, { version, what: [] }, nowOf(this.#deps.clock))
      const rows = layer.details.featureCount ?? 0
      const published = { workspace: layer.workspace, layer: layer.name, mode: 'RESTORE', rows }
      await events.record(db, { name: 'layer.published', fact: published })
      return published
    })
    if (fact !== undefined) events.emit('layer.published', fact)
  }

  /** Completes deletions of layers that an earlier process started. */
  async finishDeletions(): Promise<void> {
    await finishLeaving(this.#asideParts())
    await this.#stores.finishDeletions()
  }

  #asideParts(): SnapshotTableDeps {
    return { ...this.#deps, stores: this.#stores, versions: this.#keeping }
  }

  async #readState(layer: LayerRecord, signal: AbortSignal): Promise<TableState | undefined> {
    const store = await this.#foundStores.get(layer.storeId)
    if (store.type === mosaicType) {
      const index = await this.#stores.getMosaicIndex(store)
      return (await this.#stores.open(index.store)).state(index.table, signal)
    }
    if (isCoverageStoreType(store.type)) return rasterState(storeOfFile(store, layer).parameters.path ?? '')
    return (await this.#stores.open(store)).state(layer.nativeName, signal)
  }
}

/** Returns the state of a table published in place after a change. */
function inPlaceAfter(layer: LayerRecord, { managed, altered }: LayerChange): InPlace {
  const present = inPlaceOf(layer)
  const inPlace = {
    ...present,
    managed: managed ?? present.managed,
    altered: altered === undefined ? present.altered : undefined,
  }
  checkManaged(layer.nativeName, inPlace)
  return inPlace
}

function inPlaceOf({ workspace, name, details }: LayerRecord): InPlace {
  if (details.inPlace !== undefined) return details.inPlace
  throw invalid(
    'not-in-place',
    `The data of layer "${workspace}:${name}" were loaded by Terrane: "managed" and "altered" are for tables published in place`,
  )
}

export type { LayerVersion, StateReading } from './layer-versions.ts'
