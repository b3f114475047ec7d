import { findCrs } from '../../../geo/crs-database.ts'
import type { Schema } from '../../../geo/schema.ts'
import { explain } from '../../../lib/errors.ts'
import { findStoreServing } from '../../../stores/registry.ts'
import type { StoreType } from '../../../stores/store.ts'
import { TransformError } from '../../../transforms/transform.ts'
import type { TaskRecord, TaskStore } from '../../model/model.ts'
import { isLoadedWhole } from '../../model/model.ts'
import type { Examination, ExamineContext } from '../examination.ts'
import { examineRaster } from '../raster/examine-raster.ts'

const nothing = { isDirect: false }

function directType(task: TaskRecord): StoreType | undefined {
  if (task.table !== undefined) return undefined
  if (task.updateMode !== 'CREATE' || !isLoadedWhole(task)) return undefined
  return findStoreServing(task.format)?.type
}

/** Whether the task goes to the default data store of its workspace. */
export function needsDefaultStore(task: TaskRecord, context: Omit<ExamineContext, 'chainSchema'>): boolean {
  return (
    task.kind === 'vector' &&
    context.store === undefined &&
    context.layerStore === undefined &&
    directType(task) === undefined
  )
}

function targetOf(task: TaskRecord, context: ExamineContext): { target?: TaskStore; isDirect: boolean } {
  if (context.layerStore !== undefined) {
    const { workspace, name, type } = context.layerStore
    return { target: { workspace, name, type }, isDirect: false }
  }
  if (context.store !== undefined) {
    const { workspace, name, type } = context.store
    return { target: { workspace, name, type }, isDirect: false }
  }
  const type = directType(task)
  if (type !== undefined) {
    const name = task.layer?.name ?? ''
    return { target: { workspace: context.workspace, name, type }, isDirect: true }
  }
  return context.defaultStore === undefined ? nothing : { target: context.defaultStore, isDirect: false }
}

function hasCrs(schema: Schema, task: TaskRecord): boolean {
  if (schema.geometry === undefined) return task.layer?.srs !== undefined
  const declared = schema.geometry.crs?.srs
  return declared !== undefined && findCrs(declared) !== undefined
}

function examineVector(task: TaskRecord, context: ExamineContext): Examination {
  const placed = targetOf(task, context)
  if (context.store?.kind === 'coverageStore' || context.layerStore?.kind === 'coverageStore') {
    return { ...nothing, finding: 'BAD_FORMAT', reason: 'Vector data cannot go into a coverage store' }
  }
  if (placed.target === undefined) {
    return { ...nothing, finding: 'ERROR', reason: 'There is no target store: name one' }
  }
  try {
    const schema = context.chainSchema(task)
    return { ...placed, finding: hasCrs(schema, task) ? 'READY' : 'NO_CRS' }
  } catch (error) {
    const code = error instanceof TransformError ? error.code : undefined
    if (code === 'no-crs') return { ...placed, finding: 'NO_CRS' }
    if (code === 'unknown-field' && context.acceptsUnknownFields === true)
      return { ...placed, finding: task.layer?.srs === undefined ? 'NO_CRS' : 'READY' }
    return { ...placed, finding: 'ERROR', reason: explain(error) }
  }
}

/** Whether a task can run and into which store, or what it waits for. The first check that fails decides. */
export function examineTask(task: TaskRecord, context: ExamineContext): Examination {
  if (task.format === undefined) return { ...nothing, finding: 'NO_FORMAT' }
  if (task.kind === 'raster') {
    return examineRaster(task, context)
  }
  if (task.source === undefined) {
    const reason = task.errorMessage ?? `The ${task.format} file cannot be read`
    return { ...nothing, finding: 'ERROR', reason }
  }
  return examineVector(task, context)
}
