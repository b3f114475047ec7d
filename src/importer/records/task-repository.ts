import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { conflict, notFound } from '../../core/errors/errors.ts'
import { parseDocument, stringifyDocument } from '../../core/file-store/portable-paths.ts'
import { without } from '../../core/values/defined.ts'
import type { TaskRecord, TaskState } from '../model/model.ts'

type TaskDocument = Omit<TaskRecord, 'importId' | 'id' | 'state' | 'sortKey' | 'revision' | 'updatedAt'>

function toTask(row: Selectable<Tables['tasks']>): TaskRecord {
  return {
    ...(parseDocument(row.document) as TaskDocument),
    importId: Number(row.import_id),
    id: row.id,
    state: row.state as TaskState,
    sortKey: row.sort_key,
    revision: Number(row.revision),
    updatedAt: row.updated_at,
  }
}

function toDocument(record: TaskRecord): string {
  const document = without(record, 'importId', 'id', 'state', 'sortKey', 'revision', 'updatedAt')
  return stringifyDocument(document)
}

export async function insertTask(db: Queryable, record: TaskRecord): Promise<void> {
  await db
    .insertInto('tasks')
    .values({
      import_id: record.importId,
      id: record.id,
      state: record.state,
      sort_key: record.sortKey,
      document: toDocument(record),
      revision: record.revision,
      updated_at: record.updatedAt,
    })
    .execute()
}

/** Saves a task that was read before; `conflict` if it was changed in between. */
export async function saveTask(db: Queryable, record: TaskRecord, at: string): Promise<TaskRecord> {
  const revision = record.revision + 1
  const result = await db
    .updateTable('tasks')
    .set({ state: record.state, document: toDocument(record), revision, updated_at: at })
    .where('import_id', '=', record.importId)
    .where('id', '=', record.id)
    .where('revision', '=', record.revision)
    .executeTakeFirst()
  if (Number(result.numUpdatedRows) !== 1) {
    throw conflict('changed-meanwhile', `Task ${record.id} was changed meanwhile: try again`)
  }
  return { ...record, revision, updatedAt: at }
}

export async function findTask(db: Queryable, importId: number, id: number): Promise<TaskRecord | undefined> {
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .where('import_id', '=', importId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : toTask(row)
}

export async function getTask(db: Queryable, importId: number, id: number): Promise<TaskRecord> {
  const record = await findTask(db, importId, id)
  if (record === undefined) throw notFound('unknown-task', `No such task: ${id} for import: ${importId}`)
  return record
}

/** Lists tasks of an import in the order of their paths. */
export async function listTasks(db: Queryable, importId: number): Promise<TaskRecord[]> {
  const rows = await db
    .selectFrom('tasks')
    .selectAll()
    .where('import_id', '=', importId)
    .orderBy('sort_key')
    .orderBy('id')
    .execute()
  return rows.map(toTask)
}

/** Tasks of some imports. */
export async function listTasksOf(db: Queryable, importIds: readonly number[]): Promise<TaskRecord[]> {
  const rows = await db
    .selectFrom('tasks')
    .selectAll()
    .where('import_id', 'in', [...importIds])
    .orderBy('import_id')
    .orderBy('sort_key')
    .execute()
  return rows.map(toTask)
}

/** Lists tasks with retained results or staged rows of a dry run, or of a load that was stopped. */
export async function listDryRuns(db: Queryable): Promise<TaskRecord[]> {
  const rows = await db.selectFrom('tasks').selectAll().where('document', 'like', '%"trial":{%').execute()
  return rows.map(toTask).filter(({ trial: dryRun }) => dryRun !== undefined)
}

/** Tasks of all imports. */
export async function listTasksInState(db: Queryable, state: TaskState): Promise<TaskRecord[]> {
  const rows = await db
    .selectFrom('tasks')
    .selectAll()
    .where('state', '=', state)
    .orderBy('import_id')
    .orderBy('id')
    .execute()
  return rows.map(toTask)
}

/** Lists only the states, for the state of the import. */
export async function listTaskStates(
  db: Queryable,
  importId: number,
): Promise<{ id: number; state: TaskState }[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'state'])
    .where('import_id', '=', importId)
    .execute()
  return rows.map((row) => ({ id: row.id, state: row.state as TaskState }))
}

export async function deleteTask(db: Queryable, importId: number, id: number): Promise<void> {
  await db.deleteFrom('tasks').where('import_id', '=', importId).where('id', '=', id).execute()
}
