import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Catalog, CatalogTransaction, LayerRecord, StoreRecord } from '../../../catalog/index.ts'
import { copyFile } from '../../../core/files/copy-file.ts'
import type { StoreParameters, VectorStore } from '../../../stores/index.ts'
import { findStoreDescription, openVectorStore, ownStores } from '../../../stores/registry.ts'
import type { ImportRecord, TaskLoad } from '../../model/model.ts'
import { storeFolder } from '../../publish/publish.ts'
import type { Running } from '../task-type.ts'
import type { Target } from './target.ts'

/** Store type of files that Terrane writes, which receive the rows of a file that is served directly. */
const own = ownStores.file

function ownFile(path: string): { type: string; parameters: StoreParameters } {
  return { type: own.type, parameters: { path } }
}

/** True if a store is a file that is served directly. */
export function isFileStore(store: StoreRecord): boolean {
  const isServed = findStoreDescription(store.type)?.can.takesLoads === false
  return isServed || store.parameters.read_only === 'true'
}

/** Returns the store of the layer that a REPLACE or APPEND targets, if that is a file served directly. */
export async function findFileStore(
  catalog: Catalog,
  { record, task }: Running,
): Promise<StoreRecord | undefined> {
  if (task.updateMode === 'CREATE') return undefined
  const layer = await catalog.layers.find(record.workspace, task.layer?.name ?? '')
  const store = layer === undefined ? undefined : await catalog.stores.get(layer.storeId)
  return store !== undefined && isFileStore(store) ? store : undefined
}

/**
 * Returns the target for the rows of a layer over a file: a new file that Terrane owns. The store of the
 * layer is switched to it once the rows are loaded. A file of the same type is copied whole, since other
 * layers may read it; of other files only the rows are copied.
 */
export async function fileLayerTarget(
  storesFolder: string,
  record: ImportRecord,
  layer: LayerRecord,
  from: StoreRecord,
): Promise<Target> {
  const source = from.parameters.path ?? ''
  const folder = storeFolder(storesFolder, record, { path: source, origin: randomUUID() })
  const path = join(folder, `${basename(source, extname(source))}.${own.file.extension}`)
  const store: StoreRecord = { ...from, ...ownFile(path) }
  const isCopied = from.type === own.type
  const tableName = (name: string) => openMoved(path).tableName(name)
  return {
    store,
    table: isCopied ? layer.nativeName : tableName(layer.nativeName),
    layerName: layer.name,
    layer,
    isExisting: true,
    moved: { from, path },
    copyFrom: isCopied ? undefined : { store: from, table: layer.nativeName },
  }
}

/** Returns the same target in the new file. */
export function movedTo(target: Target, path: string): Target {
  const { moved, store } = target
  if (moved === undefined) return target
  return { ...target, store: { ...store, ...ownFile(path) }, moved: { ...moved, path } }
}

/** Creates the folder of the new file, and copies the whole old file if it has the same type. */
export async function prepareMove({ moved }: Target, signal: AbortSignal): Promise<void> {
  if (moved === undefined) return
  await mkdir(dirname(moved.path), { recursive: true })
  const { type, parameters } = moved.from
  if (type === own.type) await copyFile(parameters.path ?? '', moved.path, { signal })
}

/** Opens the new file of a load. Its store still refers to the old file. */
export function openMoved(path: string): VectorStore {
  return openVectorStore(ownFile(path))
}

/** Switches the store to its new file; run in the transaction that publishes the layer. */
export async function pointStore(
  change: CatalogTransaction,
  { storeId, layerName, table }: TaskLoad,
  path: string,
): Promise<StoreRecord> {
  return change.moveStore(storeId, ownFile(path), { layerName, table })
}

/** Removes a new file that no store was switched to. */
export async function removeMoved(path: string): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true })
}
