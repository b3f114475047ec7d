import type { TaskRecord } from '../../model/model.ts'
import { transformsOf } from '../../model/model.ts'
import type { LoadSource } from '../../worker/worker.ts'
import type { TaskRows } from '../task-type.ts'

/** Returns the rows of a task as loaded from a source. */
export function taskRows(task: TaskRecord, source: LoadSource): TaskRows {
  const { layer, repair } = task
  const schema = task.source?.schema ?? { attributes: [], geometry: undefined }
  return { source, schema, transforms: transformsOf(task), attributes: layer?.attributes, repair }
}
