import type { TaskProgress, TaskRecord } from '../../model/model.ts'
import type { ProgressBoard } from '../../runtime/runtime.ts'

const tellEveryMs = 250

/** Returns a function that reports the number of processed bytes of a raster, a few times a second. */
export function progressTeller(
  parts: { progress: ProgressBoard },
  task: TaskRecord,
  phase: TaskProgress['phase'],
): (bytes: number) => void {
  const total = task.source?.raster?.sizeBytes ?? -1
  let reportedMs = Number.NEGATIVE_INFINITY
  return (progress) => {
    if (performance.now() - reportedMs < tellEveryMs && progress !== total) return
    reportedMs = performance.now()
    parts.progress.tell(task.importId, {
      type: 'progress',
      taskId: task.id,
      progress: { phase, progress, total, rejected: 0 },
    })
  }
}

/** Returns a function that adds up the written bytes of a raster and reports the sum. */
export function watchBytes(parts: { progress: ProgressBoard }, task: TaskRecord): (bytes: number) => void {
  const tell = progressTeller(parts, task, 'loading')
  let progress = 0
  return (bytes) => {
    progress += bytes
    tell(progress)
  }
}
