import { findCrs } from '../../geo/crs-database.ts'
import { coverageStoreTypes, mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { Examination, ExamineContext } from '../examine-task.ts'
import type { TaskRecord } from '../records.ts'

/** Whether the raster's place is known: bounds first, then their CRS. Control points alone tell no bounds. */
function findingOf({ source, layer }: TaskRecord): Examination['finding'] {
  const hasCrs = layer?.srs !== undefined && findCrs(layer.srs) !== undefined
  const hasBounds = (layer?.bounds ?? source?.envelope) !== undefined
  const hasControlPoints = source?.raster?.controlPointCount !== undefined
  if (!hasBounds && !(hasControlPoints && !hasCrs)) return 'NO_BOUNDS'
  return hasCrs ? 'READY' : 'NO_CRS'
}

/** Whether a task with a raster can run and into which coverage store. */
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
  if (task.updateMode === 'APPEND' && layerStore?.type !== mosaicType) {
    return refused('ERROR', 'Only a layer over a mosaic can be appended to')
  }
  if (layerStore !== undefined) {
    const { name, type } = layerStore
    return { finding: findingOf(task), isDirect, target: { workspace, name, type } }
  }
  if (store !== undefined) {
    const hint = 'leave out the target store, or use updateMode REPLACE with the name of its layer'
    return refused('ERROR', `The coverage store "${store.name}" serves a file already: ${hint}`)
  }
  const type = coverageStoreTypes.find((one) => one === task.format)
  if (type === undefined) return refused('ERROR', `${task.format} cannot be served as a coverage`)
  return { finding: findingOf(task), isDirect, target: { workspace, name: task.layer?.name ?? '', type } }
}
