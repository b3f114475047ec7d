import type { Message } from '../../formats/format.ts'
import { proposeGeometry } from './propose-geometry.ts'
import type { TaskRecord } from './task-record.ts'
import { finalSchema } from './task-schema.ts'

const messageCode = 'without-geometry'

/** Whether rows of a task come to their layer without a geometry. */
export function isWithoutGeometry(task: TaskRecord): boolean {
  const { source } = task
  if (source === undefined || source.raster !== undefined) return false
  try {
    return finalSchema(task).geometry === undefined
  } catch {
    return false
  }
}

/** What a task tells whose rows have no geometry: a table is never made in silence. */
export function withoutGeometry(task: TaskRecord): Message {
  const [proposal] = proposeGeometry(task)
  const advice =
    proposal === undefined
      ? ''
      : `. ${proposal.evidence}: "proposals" has the transformation that makes points of them`
  const what = task.updateMode === 'CREATE' ? 'the layer is a table without one' : 'its rows come without one'
  return { level: 'warning', code: messageCode, message: `The data have no geometry: ${what}${advice}` }
}

/** The messages of a task that was looked at, with that of rows without geometry where it can run, and only there. */
export function toldWithoutGeometry(task: TaskRecord): Message[] {
  const others = task.messages.filter((message) => message.code !== messageCode)
  return task.state === 'READY' && isWithoutGeometry(task) ? [...others, withoutGeometry(task)] : others
}
