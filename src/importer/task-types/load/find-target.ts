import { type Catalog, type LayerRecord, requireManaged, type StoreRecord } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { VectorStore } from '../../../stores/index.ts'
import type { NameReservations } from '../../runtime/runtime.ts'
import type { Naming, Running } from '../task-type.ts'
import { fileLayerTarget, isFileStore } from './file-layer.ts'
import type { Target } from './target.ts'

export interface TargetDeps {
  catalog: Catalog
  /** Reserved names. */
  names: NameReservations
  folders: { stores: string }
}

/** Chooses the targets of rows. Names of targets are reserved until released. */
export class Targets {
  readonly #deps: TargetDeps

  constructor(deps: TargetDeps) {
    this.#deps = deps
  }

  async find({ record, task }: Running, naming: Naming): Promise<Target> {
    if (task.updateMode === 'CREATE') {
      return this.findNew({ record, task }, await this.#chosenStore({ record, task }), naming)
    }
    const { catalog } = this.#deps
    const name = task.layer?.name ?? ''
    const layer = await catalog.layers.find(record.workspace, name)
    if (layer !== undefined) return this.#ofLayer({ record, task }, layer)
    const store = await this.#chosenStore({ record, task })
    const opened = await catalog.stores.open(store)
    const table = opened.tableName(task.layer?.nativeName ?? name)
    if ((await opened.findTable(table)) !== undefined) {
      for (const shown of await catalog.layers.showing(store, table)) requireManaged(shown, 'load')
      return { store, table, layerName: name, isExisting: true }
    }
    if (task.updateMode === 'REPLACE') return this.findNew({ record, task }, store, naming)
    const verb = task.updateMode === 'UPSERT' ? 'upsert in' : 'append '
    throw invalid(
      'nothing-to-append-to',
      `Neither layer "${record.workspace}:${name}" nor table "${table}" in store "${store.name}" exists to ${verb}to`,
    )
  }

  /** Returns a new layer and table in a store, under unused names. */
  async findNew({ record, task }: Running, store: StoreRecord, naming: Naming): Promise<Target> {
    const requested = task.layer ?? { name: 'layer', nativeName: 'layer' }
    const layerName = await this.#freeLayer(record.workspace, requested.name, naming.signal)
    const opened = await this.#deps.catalog.stores.open(store)
    const name = requested.nativeName === requested.name ? layerName : requested.nativeName
    return { store, layerName, table: await this.#freeTable(store, opened, name, naming), isExisting: false }
  }

  release(workspace: string, { store, table, layerName }: Target): void {
    this.#deps.names.release(`table ${store.id}`, table)
    this.#deps.names.release(`layer ${workspace}`, layerName)
  }

  #freeTable(
    store: StoreRecord,
    opened: VectorStore,
    requested: string,
    { isLookedUp, signal }: Naming,
  ): Promise<string> {
    const isTaken = async (name: string) => isLookedUp && (await opened.findTable(name)) !== undefined
    const fit = (name: string, suffix: string) => opened.tableName(name, suffix)
    return this.#deps.names.take(`table ${store.id}`, requested, isTaken, { fit, signal })
  }

  #freeLayer(workspace: string, requested: string, signal: AbortSignal): Promise<string> {
    const { catalog, names } = this.#deps
    const isTaken = async (name: string) => (await catalog.layers.find(workspace, name)) !== undefined
    return names.take(`layer ${workspace}`, requested, isTaken, { signal })
  }

  async #ofLayer({ record }: Running, layer: LayerRecord): Promise<Target> {
    const { catalog, folders } = this.#deps
    requireManaged(layer, 'load')
    const store = await catalog.stores.get(layer.storeId)
    if (isFileStore(store)) return fileLayerTarget(folders.stores, record, layer, store)
    return { store, table: layer.nativeName, layerName: layer.name, layer, isExisting: true }
  }

  async #chosenStore({ task: { target } }: Running): Promise<StoreRecord> {
    const store =
      target === undefined ? undefined : await this.#deps.catalog.stores.find(target.workspace, target.name)
    if (store === undefined)
      throw invalid('unknown-store', `The target store "${target?.name ?? ''}" does not exist`)
    if (!store.isEnabled) throw invalid('store-disabled', `The target store "${store.name}" is switched off`)
    if (isFileStore(store)) {
      throw invalid('read-only-store', `The store "${store.name}" is a file and cannot be loaded into`)
    }
    return store
  }
}
