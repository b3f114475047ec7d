import { existsSync } from 'node:fs'
import { defined } from '../../lib/defined.ts'
import { invalid } from '../../lib/errors.ts'
import { passStep } from '../../lib/protocol-steps.ts'
import type { Translations } from '../../lib/text/translations.ts'
import { isCoverageStoreType, mosaicType } from '../../stores/rasters/coverage-types.ts'
import { rasterState } from '../../stores/rasters/raster-files.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { TableState } from '../../stores/store.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import type { AnnouncedChange, UnchangedLayer } from '../rows/changing-layers.ts'
import { beginChange, endChange, isChanging, listChanging } from '../rows/changing-layers.ts'
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
import { isPublicLayer, publicLayers } from '../rows/publicity.ts'
import { restoreLayer } from '../rows/restoration.ts'
import { getStoreById } from '../rows/store-rows.ts'
import { resolveStyle } from '../rows/style-rows.ts'
import { findVersion, latestVersionOf } from '../versions/version-rows.ts'
import type { FoundLayer } from './found-layers.ts'
import { FoundLayers } from './found-layers.ts'
import { FoundRows } from './found-rows.ts'
import type { LayerVersion, LookAfter } from './layer-versions.ts'
import { LayerVersions } from './layer-versions.ts'
import type { WriteParts } from './parts.ts'
import { nowOf } from './parts.ts'
import type { AsideParts } from './put-aside.ts'
import { finishLeaving, leaveTable, noteLeaving, planLeaving } from './put-aside.ts'
import type { Stores } from './stores.ts'
import type { Versions } from './versions.ts'

/** What of a published layer may be changed; what is absent stays. */
export interface LayerChange {
  title?: string | undefined
  abstract?: string | undefined
  description?: string | undefined
  keywords?: string[] | undefined
  attribution?: string | undefined
  licence?: string | undefined
  contact?: string | undefined
  translations?: Translations | undefined
  /** Name of a style of the layer's workspace or of a global one. */
  style?: string | undefined
  /** The same, further ones that it is offered in. */
  styles?: string[] | undefined
  /** `workspace`: as its workspace says. */
  isPublic?: boolean | 'workspace' | undefined
}

const lookMs = 15_000

/** Layers: what is published of a store's data. */
export class Layers {
  readonly #parts: WriteParts
  readonly #stores: Stores
  readonly #keeping: Pick<Versions, 'howToKeep'>
  readonly #versions: LayerVersions
  readonly #found: FoundLayers
  readonly #foundStores: FoundRows<StoreRecord>

  constructor(
    parts: WriteParts & { storesFolder: string },
    stores: Stores,
    versions: Pick<Versions, 'howToKeep'>,
  ) {
    this.#parts = parts
    this.#stores = stores
    this.#keeping = versions
    this.#found = new FoundLayers(parts.database)
    this.#foundStores = new FoundRows(parts.database, getStoreById)
    this.#versions = new LayerVersions(parts, (layer, signal) => this.#readState(layer, signal))
  }

  close(): Promise<void> {
    return this.#versions.close()
  }

  /** All layers, or those of a workspace or a store, by workspace and name. */
  list(filter: { workspace?: string; storeId?: number } = {}): Promise<LayerRecord[]> {
    return listLayers(this.#parts.database.kysely, filter)
  }

  /** Of all layers, in no order. */
  listNames(): Promise<{ workspace: string; name: string }[]> {
    return listLayerNames(this.#parts.database.kysely)
  }

  /** Every layer by its number, with its version as the catalogue has it. */
  listVersions(): Promise<[id: number, version: number][]> {
    return listLayerVersions(this.#parts.database.kysely)
  }

  /** As `find`, with whether the anonymous may read it; what has not changed is not read again: for what is asked in masses. */
  findForReading(workspace: string, name: string): Promise<FoundLayer | undefined> {
    return this.#found.find(workspace, name)
  }

  find(workspace: string, name: string): Promise<LayerRecord | undefined> {
    return findLayer(this.#parts.database.kysely, workspace, name)
  }

  /** Throws `Failure` (`not-found`) for a layer that does not exist. */
  get(workspace: string, name: string): Promise<LayerRecord> {
    return getLayer(this.#parts.database.kysely, workspace, name)
  }

  /** The layer that `<workspace>:<name>` means; a name alone means one of the default workspace. */
  findNamed(text: string): Promise<LayerRecord | undefined> {
    return findNamedLayer(this.#parts.database.kysely, text)
  }

  /** Whether anonymous people may read a layer: as it says itself, else as its workspace says. */
  isPublic(layer: Pick<LayerRecord, 'isPublic' | 'workspace'>): Promise<boolean> {
    return isPublicLayer(this.#parts.database.kysely, layer)
  }

  /** Those of the layers that anonymous people may read. */
  onlyPublic<Layer extends Pick<LayerRecord, 'isPublic' | 'workspace'>>(
    layers: readonly Layer[],
  ): Promise<Layer[]> {
    return publicLayers(this.#parts.database.kysely, layers)
  }

  /** The store that holds a layer's data. */
  storeOf(layer: Pick<LayerRecord, 'storeId'>): Promise<StoreRecord> {
    return this.#stores.get(layer.storeId)
  }

  openStoreOf({ storeId }: Pick<LayerRecord, 'storeId'>): Promise<ServedStore> {
    const known = this.#foundStores.known(storeId)
    if (known !== undefined) return this.#stores.open(known.row)
    return this.#foundStores.get(storeId).then((store) => this.#stores.open(store))
  }

  /** The version of a layer as it is now, with a look at whether anyone else has changed its data; never waits long. */
  versionOf(layer: LayerRecord): Promise<LayerVersion> {
    return this.#versions.of(layer)
  }

  /** Whether the catalogue has a layer as it was read, and no load of ours is about to change its data. */
  async isSettled(layer: LayerRecord): Promise<boolean> {
    const found = await this.#found.find(layer.workspace, layer.name)
    if (found?.layer.version !== layer.version) return false
    return !isChanging(found.layer, this.#parts.clock.now().getTime())
  }

  /** The layer of a number that was known before. */
  findById(id: number): Promise<LayerRecord | undefined> {
    return findLayerById(this.#parts.database.kysely, id)
  }

  /** Those of the layers of these numbers that are there, in no order. */
  async findByIds(ids: readonly number[]): Promise<LayerRecord[]> {
    return (await findCountedLayers(this.#parts.database.kysely, ids)).map(({ layer }) => layer)
  }

  /**
   * Whether what was read since `before` was told is of that version alone: by a look that begins now, or by the one that
   * whoever read the data took afterwards.
   */
  isStill(layer: Pick<LayerRecord, 'id'>, before: LayerVersion, after?: LookAfter): Promise<boolean> {
    return this.#versions.isStill(layer, before, after)
  }

  /**
   * The store is about to commit a load: from now on nothing that is read of its layers is told as current,
   * until the layer is refreshed or `giveUpChange` is called.
   */
  announceChange(change: AnnouncedChange, loadId: string): Promise<void> {
    const at = nowOf(this.#parts)
    return beginChange(this.#parts.database.kysely, change, { loadId, at })
  }

  /** The load that was announced is not published: unless others have written meanwhile, its layers are what they were. */
  async giveUpChange(loadId: string): Promise<void> {
    const db = this.#parts.database.kysely
    for (const layer of await listChanging(db, loadId))
      await endChange(db, loadId, { id: layer.id, ...defined({ seen: await this.#seenNow(layer) }) })
  }

  /** A load that broke off leaves a table looking otherwise, which its store knows for the same by its mark. */
  async #seenNow({ id, seen, touched }: UnchangedLayer): Promise<string | undefined> {
    const layer = seen === undefined || touched === undefined ? undefined : await this.findById(id)
    if (layer === undefined || touched === undefined) return seen
    const { states } = await this.openStoreOf(layer)
    if ((await states?.isUnchanged?.(touched.table, touched.mark)) !== true) return seen
    return (await this.#readState(layer, AbortSignal.timeout(lookMs)))?.text ?? seen
  }

  /**
   * Before anything of ours is at work: whoever opens a file first removes what a process that died has left in its log, by
   * which it is seen that nothing was changed.
   */
  async lookAtLogs(): Promise<void> {
    for (const store of await this.#stores.listAll()) {
      const { path } = store.parameters
      if (path === undefined || !existsSync(`${path}-wal`)) continue
      const opened = await this.#stores.open(store).catch(() => undefined)
      await opened?.state('', AbortSignal.timeout(lookMs)).catch(() => undefined)
    }
  }

  /** Looks at the data at once; throws `Failure` (`unavailable`) where the store does not answer. */
  refreshVersion(layer: LayerRecord): Promise<LayerVersion> {
    return this.#versions.refresh(layer)
  }

  /** Changes what is given of a layer; a style that does not exist is a `Failure` (`invalid`). */
  async change(layer: LayerRecord, change: LayerChange): Promise<void> {
    const db = this.#parts.database.kysely
    const { style, isPublic: wish, ...texts } = change
    for (const name of style === undefined ? (change.styles ?? []) : [style, ...(change.styles ?? [])])
      if ((await resolveStyle(db, layer.workspace, name)) === undefined)
        throw invalid('unknown-style', `Style "${name}" does not exist`)
    const details = { ...layer.details, ...defined({ ...texts, style }) }
    const isPublic = wish === 'workspace' ? undefined : (wish ?? layer.isPublic)
    const cause = style === undefined || style === layer.details.style ? 'edit' : 'style'
    const note = { at: nowOf(this.#parts), cause } as const
    await this.#parts.database.transaction(async (one) => {
      await updateLayer(one, { ...layer, details, isPublic }, note)
      passStep('change.written')
    })
  }

  /**
   * Unpublishes a layer. `recurse` drops its table too, or the store of a coverage, where no other layer shows it. A
   * mosaic goes whole.
   */
  async delete(layer: LayerRecord, { recurse }: { recurse: boolean }): Promise<void> {
    const { database, events } = this.#parts
    const store = await this.storeOf(layer)
    if (store.type === mosaicType) return this.#stores.delete(store, { recurse: true })
    const neighbours = await this.list({ storeId: store.id })
    if (recurse && isCoverageStoreType(store.type) && neighbours.length === 1)
      return this.#stores.delete(store, { recurse: true })
    const isShared = neighbours.some(
      ({ id, nativeName }) => id !== layer.id && nativeName === layer.nativeName,
    )
    const isLoaded = findStoreDescription(store.type)?.can.takesLoads === true
    const leaving =
      recurse && !isShared && isLoaded ? await planLeaving(this.#asideParts(), store, layer) : undefined
    const at = nowOf(this.#parts)
    await database.transaction(async (db) => {
      if (leaving !== undefined) await noteLeaving(db, leaving, at)
      await deleteLayerRow(db, layer, at)
    })
    passStep('delete.noted')
    events.emit('layer.removed', { workspace: layer.workspace, layer: layer.name })
    if (neighbours.length === 1) await this.#stores.files.dropIndex(store)
    if (!recurse || isShared) return
    if (leaving === undefined) return
    await leaveTable(this.#asideParts(), leaving).catch(async (error: unknown) => {
      await this.#publishAgain(layer)
      throw error
    })
  }

  /** The table of a layer that was deleted has to stay, since something depends on it: so does the layer. */
  async #publishAgain({ id }: LayerRecord): Promise<void> {
    const { database, events } = this.#parts
    const layer = await database.transaction(async (db) => {
      const version = await findVersion(db, id, await latestVersionOf(db, id))
      return version && restoreLayer(db, { version, what: [] }, nowOf(this.#parts))
    })
    if (layer === undefined) return
    const { workspace, name, details } = layer
    events.emit('layer.published', {
      workspace,
      layer: name,
      mode: 'RESTORE',
      rows: details.featureCount ?? 0,
    })
  }

  /** Ends deletions of layers that an earlier process has begun. */
  async finishDeletions(): Promise<void> {
    await finishLeaving(this.#asideParts())
    await this.#stores.finishDeletions()
  }

  #asideParts(): AsideParts {
    return { ...this.#parts, stores: this.#stores, versions: this.#keeping }
  }

  async #readState(layer: LayerRecord, signal: AbortSignal): Promise<TableState | undefined> {
    const store = await this.#foundStores.get(layer.storeId)
    if (store.type === mosaicType) {
      const index = await this.#stores.getMosaicIndex(store)
      return (await this.#stores.open(index.store)).state(index.table, signal)
    }
    if (isCoverageStoreType(store.type)) return rasterState(store.parameters.path ?? '')
    return (await this.#stores.open(store)).state(layer.nativeName, signal)
  }
}

export type { LayerVersion, LookAfter } from './layer-versions.ts'
