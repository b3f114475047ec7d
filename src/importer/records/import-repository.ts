import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { conflict, invalid, notFound } from '../../core/errors/errors.ts'
import { parseDocument, stringifyDocument } from '../../core/file-store/portable-paths.ts'
import { without } from '../../core/values/defined.ts'
import type { ImportRecord, ImportState, TaskState } from '../model/model.ts'
import { importStates, taskStates } from '../model/model.ts'

const maxImportId = 2_147_483_647

type ImportDocument = Omit<
  ImportRecord,
  'id' | 'state' | 'nextTaskId' | 'revision' | 'createdAt' | 'updatedAt'
>

function toImport(row: Selectable<Tables['imports']>): ImportRecord {
  return {
    ...(parseDocument(row.document) as ImportDocument),
    id: Number(row.id),
    state: row.state as ImportState,
    nextTaskId: row.next_task_id,
    revision: Number(row.revision),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toDocument(record: ImportRecord): string {
  const document = without(record, 'id', 'state', 'nextTaskId', 'revision', 'createdAt', 'updatedAt')
  return stringifyDocument(document)
}

/**
 * Returns the next import id. A proposed id above the next one is used and advances the counter. Run inside a
 * transaction, which locks the counter until it ends.
 */
export async function takeImportId(db: Queryable, proposed?: number): Promise<number> {
  const counter = db.updateTable('counters').where('name', '=', 'import-id')
  const { value } = await counter
    .set((row) => ({ value: row('value', '+', 1) }))
    .returning('value')
    .executeTakeFirstOrThrow()
  const next = Number(value) - 1
  const id = Math.max(next, proposed ?? 0)
  if (id > maxImportId) throw invalid('invalid-id', `An import id is at most ${maxImportId}`)
  if (id > next) await counter.set({ value: id + 1 }).execute()
  return id
}

export async function insertImport(db: Queryable, record: ImportRecord): Promise<void> {
  await db
    .insertInto('imports')
    .values({
      id: record.id,
      state: record.state,
      next_task_id: record.nextTaskId,
      document: toDocument(record),
      revision: record.revision,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    })
    .execute()
}

/** Saves an import that was read before; `conflict` if it was changed in between. */
export async function saveImport(db: Queryable, record: ImportRecord, at: string): Promise<ImportRecord> {
  const revision = record.revision + 1
  const result = await db
    .updateTable('imports')
    .set({
      state: record.state,
      next_task_id: record.nextTaskId,
      document: toDocument(record),
      revision,
      updated_at: at,
    })
    .where('id', '=', record.id)
    .where('revision', '=', record.revision)
    .executeTakeFirst()
  if (Number(result.numUpdatedRows) !== 1) {
    throw conflict('changed-meanwhile', `Import ${record.id} was changed meanwhile: try again`)
  }
  return { ...record, revision, updatedAt: at }
}

export async function findImport(db: Queryable, id: number): Promise<ImportRecord | undefined> {
  const row = await db.selectFrom('imports').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toImport(row)
}

export async function getImport(db: Queryable, id: number): Promise<ImportRecord> {
  const record = await findImport(db, id)
  if (record === undefined) throw notFound('unknown-import', `No such import: ${id}`)
  return record
}

export interface ImportFilter {
  states?: readonly ImportState[]
  limit?: number
  offset?: number
}

/** Lists imports, newest first. */
export async function listImports(db: Queryable, filter: ImportFilter = {}): Promise<ImportRecord[]> {
  let query = db.selectFrom('imports').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc')
  if (filter.states !== undefined) query = query.where('state', 'in', [...filter.states])
  if (filter.limit !== undefined || filter.offset !== undefined) {
    query = query.limit(filter.limit ?? Number.MAX_SAFE_INTEGER).offset(filter.offset ?? 0)
  }
  return (await query.execute()).map(toImport)
}

/** Lists ids and revisions of all imports, without their documents. */
export async function listImportRevisions(db: Queryable): Promise<{ id: number; revision: number }[]> {
  const rows = await db.selectFrom('imports').select(['id', 'revision']).execute()
  return rows.map(({ id, revision }) => ({ id: Number(id), revision: Number(revision) }))
}

/** Returns the existing imports of these ids, in no particular order. */
export async function listImportsById(db: Queryable, ids: readonly number[]): Promise<ImportRecord[]> {
  const rows = await db
    .selectFrom('imports')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()
  return rows.map(toImport)
}

/** Lists ids of imports in one of the states whose last change was before a time. */
export async function listIdleImports(
  db: Queryable,
  states: readonly ImportState[],
  before: string,
): Promise<number[]> {
  const rows = await db
    .selectFrom('imports')
    .select('id')
    .where('state', 'in', [...states])
    .where('updated_at', '<', before)
    .execute()
  return rows.map((row) => Number(row.id))
}

export async function deleteImport(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('tasks').where('import_id', '=', id).execute()
  await db.deleteFrom('imports').where('id', '=', id).execute()
}

/** Counts imports by state except `COMPLETE`, and tasks by state except `COMPLETE`. */
export async function countUnfinished(
  db: Queryable,
): Promise<{ imports: Partial<Record<ImportState, number>>; tasks: Partial<Record<TaskState, number>> }> {
  const states = <State extends string>(all: readonly State[]) => all.filter((one) => one !== 'COMPLETE')
  const imports = await db
    .selectFrom('imports')
    .select(['state', (row) => row.fn.countAll<number>().as('count')])
    .where('state', 'in', states(importStates))
    .groupBy('state')
    .execute()
  const tasks = await db
    .selectFrom('tasks')
    .select(['state', (row) => row.fn.count<number>('import_id').distinct().as('count')])
    .where('state', 'in', states(taskStates))
    .groupBy('state')
    .execute()
  const byState = (rows: { state: string; count: number }[]): Record<string, number> =>
    Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
  return { imports: byState(imports), tasks: byState(tasks) }
}
