import type { QuotaAddition } from '../../catalog/index.ts'
import type { TaskRecord } from './task-record.ts'

/** Returns what runs of tasks add to their workspace: a new layer, or a version of the layer that they change. */
export function additionOf(tasks: readonly Pick<TaskRecord, 'updateMode'>[]): QuotaAddition {
  const layers = tasks.filter(({ updateMode }) => updateMode === 'CREATE').length
  const versions = tasks.length - layers
  return { bytes: 0, layers: layers || undefined, versions: versions || undefined }
}
