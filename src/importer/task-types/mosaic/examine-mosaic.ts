import { findCrs } from '../../../geo/crs-database.ts'
import { mosaicType } from '../../../stores/index.ts'
import type { MosaicTask, TaskRecord, TaskStore } from '../../model/model.ts'
import { examineRaster } from '../raster/examine-raster.ts'
import type { Examination, ExamineContext } from '../task-type.ts'

type Outcome = Pick<Examination, 'finding' | 'reason'>

function granuleFinding(
  { layer }: TaskRecord,
  { granules, faults, withoutExtent, reason }: MosaicTask,
): Outcome {
  if (faults > 0) {
    const finding = withoutExtent === granules ? 'NO_BOUNDS' : 'ERROR'
    return { finding, reason }
  }
  const hasCrs = layer?.srs !== undefined && findCrs(layer.srs) !== undefined
  return { finding: hasCrs ? 'READY' : 'NO_CRS' }
}

function storeFault({ updateMode }: TaskRecord, { store, layerStore }: ExamineContext): Outcome | undefined {
  if (store?.kind === 'dataStore' || layerStore?.kind === 'dataStore') {
    return { finding: 'BAD_FORMAT', reason: 'Raster data cannot go into a data store' }
  }
  if (layerStore !== undefined && layerStore.type !== mosaicType) {
    return { finding: 'ERROR', reason: 'The layer of that name is a single raster, not a mosaic' }
  }
  if (updateMode === 'APPEND' && layerStore === undefined && store?.type !== mosaicType) {
    return { finding: 'ERROR', reason: 'No layer of that name exists to append granules to' }
  }
  if (layerStore !== undefined || store === undefined || store.type === mosaicType) return undefined
  const hint = 'leave out the target store, or use updateMode APPEND or REPLACE with the name of its layer'
  return { finding: 'ERROR', reason: `The coverage store "${store.name}" serves a layer already: ${hint}` }
}

/**
 * Decides whether granules can be loaded and into which coverage store. A single raster may have been turned
 * into a granule of another layer.
 */
export function examineMosaic(task: TaskRecord, context: ExamineContext): Examination {
  const { mosaic } = task
  if (mosaic === undefined) return examineRaster(task, context)
  const fault = storeFault(task, context)
  if (fault !== undefined) return { ...fault, isDirect: true }
  const { workspace, layerStore, store } = context
  const name = (layerStore ?? store)?.name ?? task.layer?.name ?? ''
  const target: TaskStore = { workspace, name, type: mosaicType }
  const { finding, reason } = granuleFinding(task, mosaic)
  return { finding, isDirect: true, target, reason }
}
