import { authorityCode } from '../../../geo/crs-program-text.ts'
import { coverageStoreTypes, mosaicType } from '../../../stores/index.ts'

import { outputFormat } from '../../../transforms/index.ts'

import type { TaskRecord } from '../../model/model.ts'

import type { Examination, ExamineContext } from '../task-type.ts'
import { placementOf } from './transform-raster.ts'

/**
 * Returns what is missing to georeference the raster after the chain: bounds first, then their CRS. Control
 * points alone do not define bounds.
 */
function findingOf(task: TaskRecord): Examination['finding'] {
  const { srs, hasExtent, hasControlPoints } = placementOf(task)
  const hasCrs = srs !== undefined && authorityCode(srs) !== undefined
  if (!hasExtent && task.layer?.bounds === undefined && !(hasControlPoints && !hasCrs)) return 'NO_BOUNDS'
  return hasCrs ? 'READY' : 'NO_CRS'
}

/** Decides whether a raster task can run and into which coverage store. */
export function examineRaster(task: TaskRecord, context: ExamineContext): Examination {
  const isDirect = task.transforms.length === 0
  const refused = (finding: Examination['finding'], reason: string) => ({ finding, reason, isDirect })
  const { store, layerStore, workspace } = context
  if (store?.kind === 'dataStore' || layerStore?.kind === 'dataStore') {
    return refused('BAD_FORMAT', 'Raster data cannot go into a data store')
  }
  if (task.source?.raster === undefined) {
    return refused('ERROR', task.errorMessage ?? `The ${task.format} file cannot be read`)
  }
  const mosaicStore = [layerStore, store].find((one) => one?.type === mosaicType)
  if (task.updateMode === 'APPEND' && mosaicStore === undefined) {
    return refused('ERROR', 'Granules can be appended only to a mosaic')
  }
  if (mosaicStore !== undefined && !isDirect) {
    return refused('ERROR', 'Granules are added to a mosaic without transformations: remove them')
  }
  const known = layerStore ?? mosaicStore
  if (known !== undefined) {
    const { name, type } = known
    return { finding: findingOf(task), isDirect, target: { workspace, name, type } }
  }
  if (store !== undefined) {
    const hint = 'leave out the target store, or use updateMode REPLACE with the name of its layer'
    return refused('ERROR', `The coverage store "${store.name}" serves a file already: ${hint}`)
  }
  const format = isDirect ? task.format : outputFormat
  const type = coverageStoreTypes.find((one) => one === format)
  if (type === undefined) return refused('ERROR', `${task.format} cannot be served as a coverage`)
  return { finding: findingOf(task), isDirect, target: { workspace, name: task.layer?.name ?? '', type } }
}
