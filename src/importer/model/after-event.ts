import { conflict } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import type { TaskCorrection } from './correction.ts'
import type { ImportRecord } from './import-record.ts'
import type { ImportEvent, TaskEvent } from './states.ts'
import { nextImportState, nextTaskState } from './states.ts'
import type { TaskRecord } from './task-record.ts'

/**
 * Returns the import after an event, without saving; throws `conflict` if its state does not allow the event.
 */
export function importAfter(record: ImportRecord, event: ImportEvent): ImportRecord {
  const state = nextImportState(record.state, event)
  if (state === undefined) {
    throw conflict('wrong-state', `Import ${record.id} is ${record.state}, which does not allow this action`)
  }
  return { ...record, state }
}

/**
 * Returns the task after an event, without saving; throws `conflict` if its state does not allow the event.
 */
export function taskAfter(task: TaskRecord, event: TaskEvent): TaskRecord {
  const state = nextTaskState(task.state, event)
  if (state === undefined) {
    throw conflict('wrong-state', `Task ${task.id} is ${task.state}, which does not allow this action`)
  }
  return { ...task, state }
}

/** True if corrected rows of a task are being loaded. */
export function isCorrecting({ mending: correcting }: Pick<TaskRecord, 'mending'>): boolean {
  return correcting?.state === 'RUNNING'
}

/** Returns the task after the load of its corrected rows has ended. A run in progress is preserved. */
export function correctionEnded(
  task: TaskRecord,
  end: Pick<TaskCorrection, 'state'> & Partial<Pick<TaskCorrection, 'errorMessage' | 'errorCode'>>,
): TaskRecord {
  const { mending: correcting } = task
  if (correcting === undefined) throw new Error(`Task ${task.id} has no running submission of corrected rows`)
  const before = task.state === 'RUNNING' ? taskAfter(task, { type: 'mended' }) : task
  return { ...before, mending: { ...without(correcting, 'from'), ...end } }
}
