import { without } from '../../lib/defined.ts'
import { taskAfter } from './after-event.ts'
import type { TaskMending } from './mending.ts'
import type { TaskRecord } from './task-record.ts'

/** Whether mended rows of a task are under way. */
export function isMending({ mending }: Pick<TaskRecord, 'mending'>): boolean {
  return mending?.state === 'RUNNING'
}

/** The task when its mended rows are no longer under way; it keeps its run, if it has one. */
export function mendingEnded(
  task: TaskRecord,
  end: Pick<TaskMending, 'state'> & Partial<Pick<TaskMending, 'errorMessage' | 'errorCode'>>,
): TaskRecord {
  const { mending } = task
  if (mending === undefined) throw new Error(`No mended rows of task ${task.id} are under way`)
  const before = task.state === 'RUNNING' ? taskAfter(task, { type: 'mended' }) : task
  return { ...before, mending: { ...without(mending, 'from'), ...end } }
}
