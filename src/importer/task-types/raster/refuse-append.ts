import { type Catalog, requireManaged } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { mosaicType } from '../../../stores/index.ts'
import type { ImportRecord, TaskRecord } from '../../model/model.ts'

/**
 * Refuses `UPSERT` of rasters, changes of a raster that was published in place, and `APPEND` of a raster unless the layer of that name is a mosaic: granules
 * can only be added to mosaics.
 */
export async function refuseAppend(catalog: Catalog, record: ImportRecord, task: TaskRecord): Promise<void> {
  if (task.kind !== 'raster') return
  if (task.updateMode === 'UPSERT') {
    throw invalid(
      'upsert-of-rasters',
      'UPSERT matches rows by keys, and rasters have none: use REPLACE or APPEND',
    )
  }
  if (task.updateMode === 'CREATE') return
  const name = task.layer?.name ?? ''
  const layer = await catalog.layers.find(record.workspace, name)
  if (layer !== undefined) requireManaged(layer, 'load')
  if (task.updateMode !== 'APPEND') return
  const store = layer === undefined ? undefined : await catalog.stores.get(layer.storeId)
  if (store?.type === mosaicType) return
  const named = task.store?.name ?? record.store
  const target = named === undefined ? undefined : await catalog.stores.find(record.workspace, named)
  if (layer === undefined && target?.type === mosaicType) return
  const what = store === undefined ? 'there is no layer' : 'no mosaic is the layer'
  throw invalid(
    'append-to-coverage',
    `APPEND adds granules to a mosaic, and ${what} "${record.workspace}:${name}": use REPLACE or CREATE`,
  )
}
