import type { StoreType } from '../../../stores/index.ts'
import { findStoreServing } from '../../../stores/registry.ts'
import type { TaskRecord } from '../../model/model.ts'
import { isLoadedWhole, proposeLayer, transformsOf } from '../../model/model.ts'
import type { LoadPool, LoadSource } from '../../worker/worker.ts'
import type { TaskRows } from '../task-type.ts'

/** Inspects the file of a task again, if that failed before. */
export async function describeAgain(
  pool: Pick<LoadPool, 'describe'>,
  task: TaskRecord,
  signal: AbortSignal,
): Promise<TaskRecord> {
  const [file] = task.files
  if (task.source !== undefined || file === undefined) return task
  const described = await pool.describe(file, { signal, charset: task.charset })
  const [source] = described.layers
  return source === undefined ? task : { ...task, source, layer: proposeLayer(source) }
}

/** Returns the store type of the task's file if the file can be served directly, without a load. */
export function servedType(task: TaskRecord): StoreType | undefined {
  if (task.updateMode !== 'CREATE' || !isLoadedWhole(task)) return undefined
  return findStoreServing(task.format)?.type
}

/** Returns the rows of a task as loaded from a source. */
export function taskRows(task: TaskRecord, source: LoadSource): TaskRows {
  const { layer, repair } = task
  const schema = task.source?.schema ?? { attributes: [], geometry: undefined }
  return { source, schema, transforms: transformsOf(task), attributes: layer?.attributes, repair }
}
