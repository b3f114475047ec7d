import { join } from 'node:path'
import type { LayerRecord } from '../../../catalog/records.ts'
import { invalid } from '../../../lib/errors.ts'
import { toFileName } from '../../../lib/free-name.ts'
import { mosaicType } from '../../../stores/rasters/coverage-types.ts'
import type { ImportRecord, TaskRecord } from '../../model/model.ts'
import type { ImporterParts } from '../../parts.ts'
import type { Naming } from '../load/find-target.ts'
import { newTarget } from '../load/find-target.ts'
import type { Target } from '../load/target.ts'

/** Where a mosaic's index goes, and the folder of ours for granules of uploads. */
export interface MosaicTarget {
  target: Target
  granuleFolder: string
}

async function newMosaic(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  { loadId, naming }: { loadId: string; naming: Naming },
): Promise<MosaicTarget> {
  const { layer } = task
  if (layer === undefined) throw new Error(`Task ${task.id} has no layer to make`)
  const store = await parts.catalog.stores.getDefault(record.workspace)
  const wanted = { ...task, layer: { ...layer, nativeName: `${layer.name}_granules` } }
  const target = await newTarget(parts, record, wanted, store, naming)
  const folder = `${toFileName(target.layerName)}_${loadId.replaceAll('-', '').slice(0, 12)}`
  return { target, granuleFolder: join(parts.folders.stores, toFileName(record.workspace), folder) }
}

async function existingMosaic(parts: ImporterParts, layer: LayerRecord): Promise<MosaicTarget> {
  const coverage = await parts.catalog.stores.get(layer.storeId)
  if (coverage.type !== mosaicType) {
    throw invalid('no-mosaic', `The layer "${layer.workspace}:${layer.name}" is not a mosaic`)
  }
  const { store, table, folder } = await parts.catalog.stores.getMosaicIndex(coverage)
  const target = { store, table, layerName: layer.name, layer, isExisting: true }
  return { target, granuleFolder: folder }
}

/** The layer of the mosaic that the task or its import names as target: granules are added to that. */
async function namedMosaic(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
): Promise<LayerRecord | undefined> {
  const name = task.store?.name ?? record.store
  const store = name === undefined ? undefined : await parts.catalog.stores.find(record.workspace, name)
  return store?.type === mosaicType ? (await parts.catalog.layers.list({ storeId: store.id }))[0] : undefined
}

/** Decides where a mosaic's granules go; the names are reserved until `releaseTarget`. */
export async function findMosaicTarget(
  parts: ImporterParts,
  record: ImportRecord,
  task: TaskRecord,
  load: { loadId: string; naming: Naming },
): Promise<MosaicTarget> {
  const name = task.layer?.name ?? ''
  const layer =
    task.updateMode === 'CREATE' ? undefined : await parts.catalog.layers.find(record.workspace, name)
  const known = layer ?? (await namedMosaic(parts, record, task))
  if (known !== undefined) return existingMosaic(parts, known)
  if (task.updateMode !== 'APPEND') return newMosaic(parts, record, task, load)
  throw invalid(
    'nothing-to-append-to',
    `There is no layer "${record.workspace}:${name}" to append granules to`,
  )
}
