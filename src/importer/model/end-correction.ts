import { without } from '../../lib/defined.ts'
import { taskAfter } from './after-event.ts'
import type { TaskCorrection } from './correction.ts'
import type { TaskRecord } from './task-record.ts'

/** True if corrected rows of a task are being loaded. */
export function isCorrecting({ mending }: Pick<TaskRecord, 'mending'>): boolean {
  return mending?.state === 'RUNNING'
}

/** Returns the task after the load of its corrected rows has ended. A run in progress is preserved. */
export function correctionEnded(
  task: TaskRecord,
  end: Pick<TaskCorrection, 'state'> & Partial<Pick<TaskCorrection, 'errorMessage' | 'errorCode'>>,
): TaskRecord {
  const { mending } = task
  if (mending === undefined) throw new Error(`No mended rows of task ${task.id} are under way`)
  const before = task.state === 'RUNNING' ? taskAfter(task, { type: 'mended' }) : task
  return { ...before, mending: { ...without(mending, 'from'), ...end } }
}
