import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { conflict, notFound } from '../../core/errors/errors.ts'
import type { StyleFormat } from '../../styles/index.ts'
import type { StyleRecord } from '../records.ts'
import { growWithStyle } from './version-numbers.ts'
import { checkName } from './workspace-rows.ts'

function toStyle(row: Selectable<Tables['styles']>): StyleRecord {
  return {
    id: Number(row.id),
    workspace: row.workspace === '' ? undefined : row.workspace,
    name: row.name,
    format: row.format as StyleFormat,
    document: row.document,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Lists global styles, or those of one workspace. */
export async function listStyles(db: Queryable, workspace?: string): Promise<StyleRecord[]> {
  const rows = await db
    .selectFrom('styles')
    .selectAll()
    .where('workspace', '=', workspace ?? '')
    .orderBy('name')
    .execute()
  return rows.map(toStyle)
}

export async function findStyle(
  db: Queryable,
  workspace: string | undefined,
  name: string,
): Promise<StyleRecord | undefined> {
  const row = await db
    .selectFrom('styles')
    .selectAll()
    .where('workspace', '=', workspace ?? '')
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined ? undefined : toStyle(row)
}

/**
 * Returns the style that a layer of `workspace` refers to by `name`: that of its workspace, else the global
 * one.
 */
export async function resolveStyle(
  db: Queryable,
  workspace: string,
  name: string,
): Promise<StyleRecord | undefined> {
  return (await findStyle(db, workspace, name)) ?? (await findStyle(db, undefined, name))
}

export async function getStyle(
  db: Queryable,
  workspace: string | undefined,
  name: string,
): Promise<StyleRecord> {
  const style = await findStyle(db, workspace, name)
  if (style === undefined) throw notFound('unknown-style', `Style "${name}" does not exist`)
  return style
}

export interface StyleValues {
  workspace?: string
  name: string
  format: StyleFormat
  document: string
}

/** Run in a transaction: the name may have referred to another style in layers before. */
export async function insertStyle(db: Queryable, values: StyleValues, at: string): Promise<void> {
  checkName('Style', values.name)
  if ((await findStyle(db, values.workspace, values.name)) !== undefined) {
    throw conflict('style-exists', `Style "${values.name}" exists already`)
  }
  const { workspace, name, format, document } = values
  await db
    .insertInto('styles')
    .values({ workspace: workspace ?? '', name, format, document, created_at: at, updated_at: at })
    .execute()
  await growWithStyle(db, { workspace, name }, at)
}

/** Run in a transaction: the layers that it draws get new versions. */
export async function updateStyle(
  db: Queryable,
  style: Pick<StyleRecord, 'id' | 'workspace' | 'name'>,
  change: { format: StyleFormat; document: string; at: string },
): Promise<void> {
  await saveStyle(db, style, change)
  await growWithStyle(db, style, change.at)
}

/** The same without incrementing the versions of its layers. */
export async function saveStyle(
  db: Queryable,
  style: Pick<StyleRecord, 'id'>,
  change: { format: StyleFormat; document: string; at: string },
): Promise<void> {
  await db
    .updateTable('styles')
    .set({ format: change.format, document: change.document, updated_at: change.at })
    .where('id', '=', style.id)
    .execute()
}

export async function deleteStyleRow(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('styles').where('id', '=', id).execute()
}

export async function deleteStylesOf(db: Queryable, workspace: string): Promise<void> {
  await db.deleteFrom('styles').where('workspace', '=', workspace).execute()
}
