import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { CatalogTransaction } from '../../../catalog/doors/transaction.ts'
import type { LayerRecord, StoreRecord } from '../../../catalog/records.ts'
import { copyFile } from '../../../lib/files/copy-file.ts'
import { findStoreDescription, openVectorStore, ownStores } from '../../../stores/registry.ts'
import type { StoreParameters, VectorStore } from '../../../stores/store.ts'
import type { ImportRecord, TaskLoad } from '../../model/model.ts'
import { storeFolder } from '../../publish/publish.ts'
import type { Running } from '../kind.ts'
import type { Target } from './target.ts'

/** Files of ours, into which the rows of a file go that is served as it is. */
const own = ownStores.file

function ownFile(path: string): { type: string; parameters: StoreParameters } {
  return { type: own.type, parameters: { path } }
}

/** Whether a store is a file that is served as it is. */
export function isFileStore(store: StoreRecord): boolean {
  const isServed = findStoreDescription(store.type)?.can.takesLoads === false
  return isServed || store.parameters.read_only === 'true'
}

/** The store of the layer that a REPLACE or APPEND means, where that is a file served as it is. */
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
 * Where the rows of a layer over a file go: into a file of ours, to which the layer's store is pointed when they are
 * there. One of the same type is copied whole, since other layers may read it; of another file its rows are.
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
    ...(isCopied ? {} : { copyFrom: { store: from, table: layer.nativeName } }),
  }
}

/** The same target in the file that was made for it before. */
export function movedTo(target: Target, path: string): Target {
  const { moved, store } = target
  if (moved === undefined) return target
  return { ...target, store: { ...store, ...ownFile(path) }, moved: { ...moved, path } }
}

/** Makes the folder of the new file, and the whole copy where the old one is of the same type. */
export async function prepareMove({ moved }: Target, signal: AbortSignal): Promise<void> {
  if (moved === undefined) return
  await mkdir(dirname(moved.path), { recursive: true })
  const { type, parameters } = moved.from
  if (type === own.type) await copyFile(parameters.path ?? '', moved.path, { signal })
}

/** The new file of a load; its store still means the old one. */
export function openMoved(path: string): VectorStore {
  return openVectorStore(ownFile(path))
}

/** Points the store to its new file; run it in the transaction that publishes the layer. */
export async function pointStore(
  change: CatalogTransaction,
  { storeId, layerName, table }: TaskLoad,
  path: string,
): Promise<StoreRecord> {
  return change.moveStore(storeId, ownFile(path), { layerName, table })
}

/** Takes a new file away that no store was pointed to. */
export async function removeMoved(path: string): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true })
}
