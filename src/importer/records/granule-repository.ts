import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { parseDocument, stringifyDocument } from '../../core/file-store/portable-paths.ts'
import { without } from '../../core/values/defined.ts'
import type { GranuleRecord } from '../model/model.ts'

type GranuleDocument = Omit<GranuleRecord, 'importId' | 'taskId' | 'fileId'>

/** Rows per statement: SQLite binds at most 32,766 values, and a row has five. */
const rowsAtOnce = 500

function toGranule(row: Selectable<Tables['granules']>): GranuleRecord {
  return {
    ...(parseDocument(row.document) as GranuleDocument),
    importId: Number(row.import_id),
    taskId: row.task_id,
    fileId: row.file_id,
  }
}

function toDocument(granule: GranuleRecord): string {
  const document = without(granule, 'importId', 'taskId', 'fileId')
  return stringifyDocument(document)
}

export interface GranuleOwner {
  importId: number
  taskId: number
}

function ofTask(db: Queryable, { importId, taskId }: GranuleOwner) {
  return db.selectFrom('granules').selectAll().where('import_id', '=', importId).where('task_id', '=', taskId)
}

export async function insertGranules(db: Queryable, granules: GranuleRecord[]): Promise<void> {
  for (let at = 0; at < granules.length; at += rowsAtOnce) {
    const rows = granules
      .slice(at, at + rowsAtOnce)
      .map((granule) => ({
        import_id: granule.importId,
        task_id: granule.taskId,
        file_id: granule.fileId,
        sort_key: granule.fileId.toLowerCase(),
        document: toDocument(granule),
      }))
    await db.insertInto('granules').values(rows).execute()
  }
}

/** Lists granules of a task in the order of their paths without case. */
export async function listGranules(db: Queryable, owner: GranuleOwner): Promise<GranuleRecord[]> {
  return (await ofTask(db, owner).orderBy('sort_key').orderBy('file_id').execute()).map(toGranule)
}

export async function findGranule(
  db: Queryable,
  owner: GranuleOwner,
  fileId: string,
): Promise<GranuleRecord | undefined> {
  const row = await ofTask(db, owner).where('file_id', '=', fileId).executeTakeFirst()
  return row === undefined ? undefined : toGranule(row)
}

/** Replaces all granules of a task by the given ones. */
export async function replaceGranules(db: Queryable, granules: GranuleRecord[]): Promise<void> {
  const [first] = granules
  if (first === undefined) return
  const { importId, taskId } = first
  await db.deleteFrom('granules').where('import_id', '=', importId).where('task_id', '=', taskId).execute()
  await insertGranules(db, granules)
}

export async function saveGranule(db: Queryable, granule: GranuleRecord): Promise<void> {
  await db
    .updateTable('granules')
    .set({ document: toDocument(granule) })
    .where('import_id', '=', granule.importId)
    .where('task_id', '=', granule.taskId)
    .where('file_id', '=', granule.fileId)
    .execute()
}

export async function deleteGranule(db: Queryable, owner: GranuleOwner, fileId: string): Promise<void> {
  await db
    .deleteFrom('granules')
    .where('import_id', '=', owner.importId)
    .where('task_id', '=', owner.taskId)
    .where('file_id', '=', fileId)
    .execute()
}
