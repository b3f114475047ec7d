import type { Catalog, LayerTimes } from '../../../catalog/index.ts'
import type { Logger } from '../../../core/log/logger.ts'
import { defined } from '../../../core/values/defined.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope, unionEnvelope } from '../../../geo/envelope.ts'
import type { TaskLoad, TaskRecord } from '../../model/model.ts'
import type { PublishedTable } from '../../publish/publish.ts'
import type { Running, TaskPublication } from '../task-type.ts'

import { noteReplaced, removeOthers } from './place-granules.ts'
import { readIndex } from './read-index.ts'

/**
 * Maximum number of times listed in a layer. With more, the layer gives the first, the last and the count.
 */
const maxTimes = 10_000

/** Summary of the index of a mosaic. */
interface IndexFacts {
  granules: number
  envelope?: Envelope
  times?: LayerTimes
}

/** Returns the times of a layer; undefined if there are none. */
export function toTimes(distinct: Set<number>): LayerTimes | undefined {
  const sorted = [...distinct].sort((a, b) => a - b).map((ms) => new Date(ms).toISOString())
  const [from] = sorted
  const to = sorted.at(-1)
  if (from === undefined || to === undefined) return undefined
  return { from, to, count: sorted.length, values: sorted.length > maxTimes ? [] : sorted }
}

async function readFacts(catalog: Catalog, load: TaskLoad): Promise<IndexFacts> {
  const store = await catalog.stores.open(await catalog.stores.get(load.storeId))
  const distinct = new Set<number>()
  let granules = 0
  let envelope = emptyEnvelope()
  for await (const { timeMs, box } of readIndex(store, load.table, new AbortController().signal)) {
    const [minX = Number.NaN, minY = Number.NaN, maxX = Number.NaN, maxY = Number.NaN] = box
    envelope = unionEnvelope(envelope, { minX, minY, maxX, maxY })
    granules += 1
    if (timeMs !== undefined) distinct.add(timeMs)
  }
  const times = toTimes(distinct)
  return { granules, envelope: isEmptyEnvelope(envelope) ? undefined : envelope, times }
}

async function placeOf(
  catalog: Catalog,
  { record, task }: Running,
  load: TaskLoad,
): Promise<{ publishedTable: PublishedTable; raster: NonNullable<TaskRecord['source']>['raster'] }> {
  const { layerName } = load
  const raster = task.source?.raster
  const created = { publishedTable: { storeId: 0, table: layerName, layerName, isNewLayer: true }, raster }
  if (load.isNewLayer) return created
  const layer = await catalog.layers.find(record.workspace, layerName)
  if (layer === undefined) return created
  const publishedTable = { storeId: layer.storeId, table: layer.nativeName, layerName, isNewLayer: false }
  return { publishedTable, raster: task.updateMode === 'REPLACE' ? raster : layer.details.raster }
}

/**
 * Publishes a mosaic whose index is loaded: creates its store and layer, or refreshes the layer, in one
 * transaction.
 */
export async function publishMosaic(
  catalog: Catalog,
  log: Logger,
  running: Running,
  load: TaskLoad,
): Promise<TaskPublication> {
  const { record } = running
  const { granules, ...facts } = await readFacts(catalog, load)
  const { publishedTable, raster } = await placeOf(catalog, running, load)
  const index = await catalog.stores.get(load.storeId)
  const mosaic = { indexStore: index.name, indexTable: load.table, folder: load.granuleFolder ?? '' }
  const task = { ...running.task, ...defined(load.counts ?? {}) }
  const isReplaced = task.updateMode === 'REPLACE' && !load.isNewLayer
  if (isReplaced) await tell(log, load, noteReplaced(load), 'replaced granules were not recorded')
  return {
    task,
    publishedTable,
    published: { schema: { attributes: [], geometry: undefined }, featureCount: granules, ...facts, raster },
    makeStore: (change) =>
      publishedTable.isNewLayer
        ? change.addMosaicStore(record.workspace, load.layerName, mosaic)
        : change.getStore(publishedTable.storeId),
    tidy: isReplaced
      ? () => tell(log, load, removeOthers(load), 'replaced granules were not removed')
      : undefined,
  }
}

/** Waits for work on granules after the commit. Failures are logged and do not fail the task. */
async function tell(log: Logger, load: TaskLoad, work: Promise<void>, failure: string): Promise<void> {
  await work.catch((error: unknown) => log.warn({ err: error, layer: load.layerName }, failure))
}
