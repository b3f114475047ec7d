import type { Database, Queryable } from '../../core/db/connection.ts'
import type { Clock } from '../../core/time/clock.ts'
import { without } from '../../core/values/defined.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { importAfter, now, withoutPassword } from '../model/model.ts'
import type { ProgressBoard } from '../runtime/runtime.ts'
import type { ImportFiles } from './import-files.ts'
import { saveImport } from './import-repository.ts'
import { listTaskStates, saveTask } from './task-repository.ts'

/** Dependencies of a save: the clock, and the board that sends progress events to clients. */
export interface Saving {
  clock: Clock
  progress: ProgressBoard
}

/** Import tables, and the dependencies of saving to them. */
export interface Keeping extends Saving {
  database: Database
  files: ImportFiles
}

/** Derives the state of the import from its tasks and saves the import. */
export async function finalizeImport(
  parts: Saving,
  db: Queryable,
  record: ImportRecord,
): Promise<ImportRecord> {
  const tasks = await listTaskStates(db, record.id)
  const settled = importAfter(record, {
    type: 'tasks-changed',
    tasks: tasks.map((task) => task.state),
    isRunActive: record.state === 'RUNNING' && record.jobId !== undefined,
  })
  const rest = without(settled, 'message')
  const failed = tasks.filter((task) => task.state === 'ERROR').length
  const saved: ImportRecord =
    settled.state === 'COMPLETE_ERROR'
      ? { ...rest, message: `${failed} of ${tasks.length} tasks failed: see their errorMessage` }
      : settled.state === 'INIT_ERROR'
        ? settled
        : rest
  return saveAndPublish(parts, db, saved)
}

/** Saves an import and sends an event to its clients. */
export async function saveAndPublish(
  parts: Saving,
  db: Queryable,
  record: ImportRecord,
): Promise<ImportRecord> {
  const kept = record.state === 'COMPLETE' ? withoutPassword(record) : record
  const saved = await saveImport(db, kept, now(parts))
  const { state, message } = saved
  parts.progress.tell(saved.id, { type: 'import', state, message })
  return saved
}

/** Saves a task and sends an event to the clients of its import. */
export async function saveTaskAndPublish(
  parts: Saving,
  db: Queryable,
  task: TaskRecord,
): Promise<TaskRecord> {
  const saved = await saveTask(db, task, now(parts))
  const { id, state, errorMessage } = saved
  parts.progress.tell(saved.importId, { type: 'task', taskId: id, state, message: errorMessage })
  return saved
}
