import type { ImporterParts } from '../parts.ts'
import type { TaskRecord } from '../records.ts'

const tellEveryMs = 250

/** Tells the bytes of a raster that have been written so far, a few times a second. */
export function watchBytes(
  parts: Pick<ImporterParts, 'progress'>,
  task: TaskRecord,
): (bytes: number) => void {
  const total = task.source?.raster?.sizeBytes ?? -1
  let progress = 0
  let toldMs = Number.NEGATIVE_INFINITY
  return (bytes) => {
    progress += bytes
    if (performance.now() - toldMs < tellEveryMs && progress !== total) return
    toldMs = performance.now()
    parts.progress.tell(task.importId, {
      type: 'progress',
      taskId: task.id,
      progress: { phase: 'loading', progress, total, rejected: 0 },
    })
  }
}
