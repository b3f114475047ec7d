import type { FormatMessage } from '../../formats/worker.ts'
import { proposeGeometry } from './propose-geometry.ts'
import type { TaskRecord } from './task-record.ts'
import { finalSchema } from './task-schema.ts'

const messageCode = 'without-geometry'

/** True if rows of a task reach their layer without a geometry. */
export function isWithoutGeometry(task: TaskRecord): boolean {
  const { source } = task
  if (source === undefined || source.raster !== undefined) return false
  try {
    return finalSchema(task).geometry === undefined
  } catch {
    return false
  }
}

/**
 * Returns the message for a task whose rows have no geometry, so that users notice that it creates a table
 * without geometry.
 */
export function withoutGeometry(task: TaskRecord): FormatMessage {
  const [proposal] = proposeGeometry(task)
  const advice =
    proposal === undefined
      ? ''
      : `. ${proposal.evidence}: "proposals" contains the transformation that creates points`
  const what =
    task.updateMode === 'CREATE' ? 'the layer is a table without one' : 'its rows are loaded without one'
  return { level: 'warning', code: messageCode, message: `The data have no geometry: ${what}${advice}` }
}

/**
 * Returns the messages of an examined task, with the message about missing geometry only if the task can run.
 */
export function withoutGeometryCode(task: TaskRecord): FormatMessage[] {
  const others = task.messages.filter((message) => message.code !== messageCode)
  return task.state === 'READY' && isWithoutGeometry(task) ? [...others, withoutGeometry(task)] : others
}
