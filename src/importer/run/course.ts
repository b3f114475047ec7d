import type { ImportRecord, TaskRecord } from '../model/model.ts'
import type { ImporterParts } from '../parts.ts'
import { saveTaskAndTell } from '../records/records.ts'

/** A task while it runs: every save moves it on. */
export interface Course {
  record: ImportRecord
  task: TaskRecord
  /** Its load broke off, and whether it committed is not known. */
  isUnsettled?: boolean
}

/** Saves the task and goes on with what was saved. */
export async function save(parts: ImporterParts, course: Course, task: TaskRecord): Promise<void> {
  course.task = await saveTaskAndTell(parts, parts.database.kysely, task)
}
