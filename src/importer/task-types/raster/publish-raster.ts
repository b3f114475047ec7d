import {
  type Catalog,
  type CatalogTransaction,
  requireManaged,
  type StoreRecord,
} from '../../../catalog/index.ts'
import type { Logger } from '../../../core/log/logger.ts'
import type { FormatMessage } from '../../../formats/worker.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import type { ImportRecord, TaskRecord } from '../../model/model.ts'
import type { PublishedTable } from '../../publish/publish.ts'
import type { Running, TaskPublication } from '../task-type.ts'

import type { StagedRaster } from './stage-raster.ts'

/** Returns the store of the replaced layer, switched to the new file, or a new store. */
async function placeStore(
  change: CatalogTransaction,
  record: ImportRecord,
  task: TaskRecord,
  made: StagedRaster,
): Promise<{ store: StoreRecord; former?: StoreRecord }> {
  const name = task.layer?.name ?? ''
  const parameters = { path: made.path }
  const layer = task.updateMode === 'REPLACE' ? await change.findLayer(record.workspace, name) : undefined
  if (layer === undefined) {
    return { store: await change.addFileStore(record.workspace, { name, type: made.type, parameters }) }
  }
  requireManaged(layer, 'load')
  const former = await change.getStore(layer.storeId)
  const refreshed = { layerName: name, table: made.layer.nativeName }
  return { store: await change.moveStore(former.id, { type: made.type, parameters }, refreshed), former }
}

/** Returns messages about a REPLACE, such as a changed extent of the layer. */
async function replaceMessages(
  catalog: Catalog,
  { workspace }: ImportRecord,
  { updateMode, layer: taskLayer }: TaskRecord,
): Promise<FormatMessage[]> {
  if (updateMode !== 'REPLACE') return []
  const layer = await catalog.layers.find(workspace, taskLayer?.name ?? '')
  const before = layer?.details.srs
  const after = taskLayer?.srs
  if (before === undefined || after === undefined || isSameCrs(before, after)) return []
  const message = `The CRS of the layer changed from ${before} to ${after}, the CRS of its new file`
  return [{ level: 'warning', code: 'crs-changed', message }]
}

/** Returns what happens to the file that the layer has read until now. */
async function endOfFormer(
  catalog: Catalog,
  { workspace }: ImportRecord,
  { updateMode, layer: taskLayer }: TaskRecord,
): Promise<Pick<PublishedTable, 'end'>> {
  const layer =
    updateMode === 'REPLACE' ? await catalog.layers.find(workspace, taskLayer?.name ?? '') : undefined
  if (layer === undefined) return {}
  return { end: await catalog.versions.keepFiles(await catalog.layers.storeOf(layer)) }
}

/** Publishes the raster as a coverage: creates or switches the store and the layer in one transaction. */
export async function publishRaster(
  catalog: Catalog,
  log: Logger,
  { record, task: before }: Running,
  made: StagedRaster,
): Promise<TaskPublication> {
  const { layer } = made
  const task = { ...before, layer }
  const messages = [...task.messages, ...(await replaceMessages(catalog, record, task))]
  let former: StoreRecord | undefined
  return {
    task: { ...task, messages },
    publishedTable: {
      ...(await endOfFormer(catalog, record, task)),
      storeId: 0,
      table: layer.nativeName,
      layerName: layer.name,
      isNewLayer: task.updateMode === 'CREATE',
    },
    published: made.description,
    makeStore: async (change) => {
      const placed = await placeStore(change, record, task, made)
      former = placed.former
      return placed.store
    },
    tidy: () => removeUnused(catalog, log, former?.parameters.path),
  }
}

/** Removes an unused copy. If that fails, the clean-up of unused folders removes the copy a day later. */
export async function removeUnused(catalog: Catalog, log: Logger, path: string | undefined): Promise<void> {
  if (path === undefined) return
  await catalog.stores.files
    .removeUnused(path)
    .catch((error: unknown) => log.warn({ err: error, path }, 'an unused raster was not removed'))
}
