import type { LayerRecord, StoreRecord } from '../../../catalog/records.ts'
import { invalid } from '../../../lib/errors.ts'
import type { VectorStore } from '../../../stores/store.ts'
import type { ImportRecord, TaskRecord } from '../../model/model.ts'
import type { ImporterParts } from '../../parts.ts'
import { fileLayerTarget, isFileStore } from './file-layer.ts'
import type { Target } from './target.ts'

/**
 * How a new table is named: after a look at which names are free in the store, or without one, since the load itself
 * refuses a name that is taken and a look takes long in a GeoPackage of many tables.
 */
export interface Naming {
  isLookedUp: boolean
  signal: AbortSignal
}

function freeTable(
  parts: ImporterParts,
  store: StoreRecord,
  opened: VectorStore,
  wanted: string,
  { isLookedUp, signal }: Naming,
): Promise<string> {
  const isTaken = async (name: string) => isLookedUp && (await opened.findTable(name)) !== undefined
  const fit = (name: string, suffix: string) => opened.tableName(name, suffix)
  return parts.names.take(`table ${store.id}`, wanted, isTaken, { fit, signal })
}

function freeLayer(
  parts: ImporterParts,
  workspace: string,
  wanted: string,
  signal: AbortSignal,
): Promise<string> {
  const isTaken = async (name: string) => (await parts.catalog.layers.find(workspace, name)) !== undefined
  return parts.names.take(`layer ${workspace}`, wanted, isTaken, { signal })
}

/** A new layer and table in a store, under free names. */
export async function newTarget(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  store: StoreRecord,
  naming: Naming,
) {
  const wanted = task.layer ?? { name: 'layer', nativeName: 'layer' }
  const layerName = await freeLayer(parts, record.workspace, wanted.name, naming.signal)
  const opened = await parts.catalog.stores.open(store)
  const name = wanted.nativeName === wanted.name ? layerName : wanted.nativeName
  return { store, layerName, table: await freeTable(parts, store, opened, name, naming), isExisting: false }
}

async function layerTarget(parts: ImporterParts, record: ImportRecord, layer: LayerRecord): Promise<Target> {
  const store = await parts.catalog.stores.get(layer.storeId)
  if (isFileStore(store)) return fileLayerTarget(parts, record, layer, store)
  return { store, table: layer.nativeName, layerName: layer.name, layer, isExisting: true }
}

async function chosenStore(parts: ImporterParts, task: TaskRecord): Promise<StoreRecord> {
  const { target } = task
  const store =
    target === undefined ? undefined : await parts.catalog.stores.find(target.workspace, target.name)
  if (store === undefined)
    throw invalid('unknown-store', `The target store "${target?.name ?? ''}" does not exist`)
  if (!store.isEnabled) throw invalid('store-disabled', `The target store "${store.name}" is switched off`)
  if (isFileStore(store)) {
    throw invalid('read-only-store', `The store "${store.name}" is a file and takes no data`)
  }
  return store
}

/** Decides where a task's rows go; the names are reserved until `releaseTarget`. */
export async function findTarget(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  naming: Naming,
): Promise<Target> {
  if (task.updateMode === 'CREATE') {
    return newTarget(parts, record, task, await chosenStore(parts, task), naming)
  }
  const name = task.layer?.name ?? ''
  const layer = await parts.catalog.layers.find(record.workspace, name)
  if (layer !== undefined) return layerTarget(parts, record, layer)
  const store = await chosenStore(parts, task)
  const opened = await parts.catalog.stores.open(store)
  const table = opened.tableName(task.layer?.nativeName ?? name)
  if ((await opened.findTable(table)) !== undefined) {
    return { store, table, layerName: name, isExisting: true }
  }
  if (task.updateMode === 'REPLACE') return newTarget(parts, record, task, store, naming)
  throw invalid(
    'nothing-to-append-to',
    `There is neither a layer "${record.workspace}:${name}" nor a table "${table}" in store "${store.name}" to append to`,
  )
}

export function releaseTarget(parts: ImporterParts, record: ImportRecord, target: Target): void {
  parts.names.release(`table ${target.store.id}`, target.table)
  parts.names.release(`layer ${record.workspace}`, target.layerName)
}
