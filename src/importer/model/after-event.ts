import { conflict } from '../../lib/errors.ts'
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
    throw conflict('wrong-state', `Import ${record.id} is ${record.state}: that is not possible now`)
  }
  return { ...record, state }
}

/**
 * Returns the task after an event, without saving; throws `conflict` if its state does not allow the event.
 */
export function taskAfter(task: TaskRecord, event: TaskEvent): TaskRecord {
  const state = nextTaskState(task.state, event)
  if (state === undefined) {
    throw conflict('wrong-state', `Task ${task.id} is ${task.state}: that is not possible now`)
  }
  return { ...task, state }
}
