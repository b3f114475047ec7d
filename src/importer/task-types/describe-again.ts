import type { TaskRecord } from '../model/model.ts'
import { proposeLayer } from '../model/model.ts'
import type { LoadPool } from '../worker/worker.ts'

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
