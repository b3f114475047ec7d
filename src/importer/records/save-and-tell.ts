import type { Queryable } from '../../db/connection.ts'
import { conflict } from '../../lib/errors.ts'
import { withoutPassword } from '../model/remote-password.ts'
import type { ImportEvent, TaskEvent } from '../model/states.ts'
import { nextImportState, nextTaskState } from '../model/states.ts'
import type { ImportRecord, TaskRecord } from '../model/task-record.ts'
import type { ImporterParts } from '../parts.ts'
import { now } from '../parts.ts'
import { saveImport } from './import-repository.ts'
import { listTaskStates, saveTask } from './task-repository.ts'

/** The import after an event, not yet saved; throws `conflict` where its state does not allow it. */
export function importAfter(record: ImportRecord, event: ImportEvent): ImportRecord {
  const state = nextImportState(record.state, event)
  if (state === undefined) {
    throw conflict('wrong-state', `Import ${record.id} is ${record.state}: that is not possible now`)
  }
  return { ...record, state }
}

/** The task after an event, not yet saved; throws `conflict` where its state does not allow it. */
export function taskAfter(task: TaskRecord, event: TaskEvent): TaskRecord {
  const state = nextTaskState(task.state, event)
  if (state === undefined) {
    throw conflict('wrong-state', `Task ${task.id} is ${task.state}: that is not possible now`)
  }
  return { ...task, state }
}

/** Saves the import in the state that its tasks say. */
export async function settleImport(
  parts: Pick<ImporterParts, 'clock' | 'progress'>,
  db: Queryable,
  record: ImportRecord,
): Promise<ImportRecord> {
  const tasks = await listTaskStates(db, record.id)
  const settled = importAfter(record, {
    type: 'tasks-changed',
    tasks: tasks.map((task) => task.state),
    isRunUnderWay: record.state === 'RUNNING' && record.jobId !== undefined,
  })
  const { message: _message, ...rest } = settled
  const failed = tasks.filter((task) => task.state === 'ERROR').length
  const saved: ImportRecord =
    settled.state === 'COMPLETE_ERROR'
      ? { ...rest, message: `${failed} of ${tasks.length} tasks failed: see their errorMessage` }
      : settled.state === 'INIT_ERROR'
        ? settled
        : rest
  return saveAndTell(parts, db, saved)
}

/** Saves an import and tells who watches it. */
export async function saveAndTell(
  parts: Pick<ImporterParts, 'clock' | 'progress'>,
  db: Queryable,
  record: ImportRecord,
): Promise<ImportRecord> {
  const kept = record.state === 'COMPLETE' ? withoutPassword(record) : record
  const saved = await saveImport(db, kept, now(parts))
  const { state, message } = saved
  parts.progress.tell(saved.id, { type: 'import', state, ...(message === undefined ? {} : { message }) })
  return saved
}

/** Saves a task and tells who watches its import. */
export async function saveTaskAndTell(
  parts: Pick<ImporterParts, 'clock' | 'progress'>,
  db: Queryable,
  task: TaskRecord,
): Promise<TaskRecord> {
  const saved = await saveTask(db, task, now(parts))
  const { id, state, errorMessage } = saved
  parts.progress.tell(saved.importId, {
    type: 'task',
    taskId: id,
    state,
    ...(errorMessage === undefined ? {} : { message: errorMessage }),
  })
  return saved
}
