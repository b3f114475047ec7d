import { join } from 'node:path'
import { type Catalog, type LayerRecord, requireManaged } from '../../../catalog/index.ts'
import type { Database } from '../../../core/db/connection.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { Logger } from '../../../core/log/logger.ts'
import { toFileName } from '../../../core/text/free-name.ts'
import { mosaicType } from '../../../stores/index.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { Targets } from '../load/find-target.ts'
import type { RowLoads } from '../load/load-rows.ts'
import type { Loader } from '../load/loader.ts'
import type { Target } from '../load/target.ts'
import type { Naming, Running } from '../task-type.ts'

/** Target of the index of a mosaic, and the folder for uploaded granules. */
export interface MosaicTarget {
  target: Target
  granuleFolder: string
}

async function newMosaic(
  catalog: Catalog,
  folders: MosaicDeps['folders'],
  loading: MosaicDeps['loading'],
  { record, task }: Running,
  { loadId, naming }: { loadId: string; naming: Naming },
): Promise<MosaicTarget> {
  const { layer } = task
  if (layer === undefined) throw new Error(`Task ${task.id} has no layer`)
  const store = await catalog.stores.getDefault(record.workspace)
  const requested = { ...task, layer: { ...layer, nativeName: `${layer.name}_granules` } }
  const target = await loading.targets.findNew({ record, task: requested }, store, naming)
  const folder = `${toFileName(target.layerName)}_${loadId.replaceAll('-', '').slice(0, 12)}`
  return { target, granuleFolder: join(folders.stores, toFileName(record.workspace), folder) }
}

async function existingMosaic(catalog: Catalog, layer: LayerRecord): Promise<MosaicTarget> {
  requireManaged(layer, 'load')
  const coverage = await catalog.stores.get(layer.storeId)
  if (coverage.type !== mosaicType) {
    throw invalid('no-mosaic', `The layer "${layer.workspace}:${layer.name}" is not a mosaic`)
  }
  const { store, table, folder } = await catalog.stores.getMosaicIndex(coverage)
  const target = { store, table, layerName: layer.name, layer, isExisting: true }
  return { target, granuleFolder: folder }
}

/**
 * Returns the layer of the mosaic that the task or its import names as target, to which granules are added.
 */
async function namedMosaic(catalog: Catalog, { record, task }: Running): Promise<LayerRecord | undefined> {
  const name = task.store?.name ?? record.store
  const store = name === undefined ? undefined : await catalog.stores.find(record.workspace, name)
  return store?.type === mosaicType ? (await catalog.layers.list({ storeId: store.id }))[0] : undefined
}

/** Chooses the target of a mosaic's granules; the caller must release the reserved names. */
export async function findMosaicTarget(
  catalog: Catalog,
  folders: MosaicDeps['folders'],
  loading: MosaicDeps['loading'],
  running: Running,
  load: { loadId: string; naming: Naming },
): Promise<MosaicTarget> {
  const { record, task } = running
  const name = task.layer?.name ?? ''
  const layer = task.updateMode === 'CREATE' ? undefined : await catalog.layers.find(record.workspace, name)
  const known = layer ?? (await namedMosaic(catalog, running))
  if (known !== undefined) return existingMosaic(catalog, known)
  if (task.updateMode !== 'APPEND') return newMosaic(catalog, folders, loading, running, load)
  throw invalid(
    'nothing-to-append-to',
    `Layer "${record.workspace}:${name}" does not exist: granules cannot be appended`,
  )
}

export interface MosaicDeps {
  catalog: Catalog
  database: Database
  pool: LoadPool
  folders: { stores: string }
  log: Logger
  /** Dependencies for loading the index of the mosaic. */
  loading: { rows: RowLoads; targets: Targets; loader: Loader }
}
