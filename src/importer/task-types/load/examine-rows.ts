import { explain } from '../../../core/errors/errors.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { StoreType } from '../../../stores/index.ts'
import { TransformError } from '../../../transforms/index.ts'
import type { TaskRecord, TaskStore } from '../../model/model.ts'
import type { Examination, ExamineContext } from '../task-type.ts'

const nothing = { isDirect: false }
const noKeys = 'An UPSERT needs "keys": columns of the layer that identify a row'

/** True if rows go to the default data store of their workspace. */
export function needsDefaultStore(
  task: TaskRecord,
  context: Omit<ExamineContext, 'chainSchema'>,
  served?: StoreType,
): boolean {
  return (
    task.kind === 'vector' &&
    context.store === undefined &&
    context.layerStore === undefined &&
    served === undefined
  )
}

function targetOf(
  task: TaskRecord,
  context: ExamineContext,
  served: StoreType | undefined,
): { target?: TaskStore; isDirect: boolean } {
  const named = context.layerStore ?? context.store
  if (named !== undefined) {
    const { workspace, name, type } = named
    return { target: { workspace, name, type }, isDirect: false }
  }
  if (served !== undefined) {
    const name = task.layer?.name ?? ''
    return { target: { workspace: context.workspace, name, type: served }, isDirect: true }
  }
  return context.defaultStore === undefined ? nothing : { target: context.defaultStore, isDirect: false }
}

function hasCrs(schema: Schema, task: TaskRecord): boolean {
  if (schema.geometry === undefined) return task.layer?.srs !== undefined
  const declared = schema.geometry.crs?.srs
  return declared !== undefined && findCrs(declared) !== undefined
}

function examineChain(task: TaskRecord, context: ExamineContext, served: StoreType | undefined): Examination {
  const placed = targetOf(task, context, served)
  if (context.store?.kind === 'coverageStore' || context.layerStore?.kind === 'coverageStore') {
    return { ...nothing, finding: 'BAD_FORMAT', reason: 'Vector data cannot go into a coverage store' }
  }
  if (placed.target === undefined) {
    return { ...nothing, finding: 'ERROR', reason: 'The task has no target store: set "target"' }
  }
  if (task.updateMode === 'UPSERT' && (task.keys ?? []).length === 0)
    return { ...placed, finding: 'ERROR', reason: noKeys, code: 'no-keys' }
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

/**
 * Decides whether rows can be loaded and into which store, or which input is missing. `served` is the store
 * type of the file if the file can be served directly.
 */
export function examineRows(task: TaskRecord, context: ExamineContext, served?: StoreType): Examination {
  if (task.source === undefined) {
    const reason = task.errorMessage ?? `The ${task.format} file cannot be read`
    return { ...nothing, finding: 'ERROR', reason }
  }
  return examineChain(task, context, served)
}
