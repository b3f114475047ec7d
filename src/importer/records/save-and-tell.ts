import type { Database, Queryable } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import { defined, without } from '../../lib/defined.ts'
import type { ProgressBoard } from '../live/live.ts'
import type { ImportRecord, TaskRecord } from '../model/model.ts'
import { importAfter, now, withoutPassword } from '../model/model.ts'
import { saveImport } from './import-repository.ts'
import { listTaskStates, saveTask } from './task-repository.ts'

/** What a save needs: the time, and the board that tells it to those who watch. */
export interface Saving {
  clock: Clock
  progress: ProgressBoard
}

/** What is kept of imports: the tables, and what every save of them needs. */
export interface Keeping extends Saving {
  database: Database
}

/** Saves the import in the state that its tasks say. */
export async function settleImport(
  parts: Saving,
  db: Queryable,
  record: ImportRecord,
): Promise<ImportRecord> {
  const tasks = await listTaskStates(db, record.id)
  const settled = importAfter(record, {
    type: 'tasks-changed',
    tasks: tasks.map((task) => task.state),
    isRunUnderWay: record.state === 'RUNNING' && record.jobId !== undefined,
  })
  const rest = without(settled, 'message')
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
export async function saveAndTell(parts: Saving, db: Queryable, record: ImportRecord): Promise<ImportRecord> {
  const kept = record.state === 'COMPLETE' ? withoutPassword(record) : record
  const saved = await saveImport(db, kept, now(parts))
  const { state, message } = saved
  parts.progress.tell(saved.id, { type: 'import', state, ...defined({ message }) })
  return saved
}

/** Saves a task and tells who watches its import. */
export async function saveTaskAndTell(parts: Saving, db: Queryable, task: TaskRecord): Promise<TaskRecord> {
  const saved = await saveTask(db, task, now(parts))
  const { id, state, errorMessage } = saved
  parts.progress.tell(saved.importId, {
    type: 'task',
    taskId: id,
    state,
    ...defined({ message: errorMessage }),
  })
  return saved
}
