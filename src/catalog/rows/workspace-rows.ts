import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { conflict, invalid, notFound } from '../../core/errors/errors.ts'
import type { Workspace } from '../records.ts'
import { toQuota } from './quota-rows.ts'
import { growWithWorkspace } from './version-numbers.ts'

const defaultSetting = 'default-workspace'
const namePattern = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]{0,99}$/u

/** Throws `Failure` (`invalid`) for a name that is not valid in a path or as a prefix. */
export function checkName(what: string, name: string): void {
  if (namePattern.test(name)) return
  throw invalid(
    'invalid-name',
    `${what} name "${name}" is not valid: letters, digits, "_", "-" and "." are, at most 100, and not "-" or "." first`,
  )
}

/** First path segments of this server, including reserved ones: `/<workspace>` would be ambiguous. */
const reservedNames = new Set(
  'rest ogc tiles ows wms wfs wcs wmts gwc monitoring docs health metrics assets app embed'.split(' '),
)

function toWorkspace(row: Selectable<Tables['workspaces']>): Workspace {
  return {
    name: row.name,
    isPublic: row.is_public === 1,
    quota: toQuota(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export async function listWorkspaces(db: Queryable): Promise<Workspace[]> {
  const rows = await db.selectFrom('workspaces').selectAll().orderBy('name').execute()
  return rows.map(toWorkspace)
}

export async function findWorkspace(db: Queryable, name: string): Promise<Workspace | undefined> {
  const row = await db.selectFrom('workspaces').selectAll().where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : toWorkspace(row)
}

export async function getWorkspace(db: Queryable, name: string): Promise<Workspace> {
  const workspace = await findWorkspace(db, name)
  if (workspace === undefined) throw notFound('unknown-workspace', `Workspace "${name}" does not exist`)
  return workspace
}

export async function insertWorkspace(
  db: Queryable,
  workspace: { name: string; isPublic: boolean; at: string },
): Promise<void> {
  checkName('Workspace', workspace.name)
  if (reservedNames.has(workspace.name))
    throw invalid(
      'reserved-name',
      `"${workspace.name}" is reserved for paths of the server: take another name`,
    )
  if ((await findWorkspace(db, workspace.name)) !== undefined) {
    throw conflict('workspace-exists', `Workspace "${workspace.name}" exists already`)
  }
  const { name, isPublic, at } = workspace
  await db
    .insertInto('workspaces')
    .values({ name, is_public: isPublic ? 1 : 0, created_at: at, updated_at: at })
    .execute()
}

/** Run in a transaction: layers that use the public access setting of their workspace get new versions. */
export async function updateWorkspace(
  db: Queryable,
  name: string,
  change: { isPublic: boolean; at: string },
): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ is_public: change.isPublic ? 1 : 0, updated_at: change.at })
    .where('name', '=', name)
    .execute()
  await growWithWorkspace(db, name, change.at)
}

/**
 * Locks a workspace for the rest of the transaction, so that concurrent ones do not choose the same free
 * name.
 */
export async function lockWorkspace(transaction: Queryable, name: string): Promise<void> {
  await transaction.updateTable('workspaces').set({ name }).where('name', '=', name).execute()
}

export async function deleteWorkspaceRow(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('workspaces').where('name', '=', name).execute()
}

/** Returns the name of the default workspace; undefined if it was deleted. */
export async function findDefaultWorkspaceName(db: Queryable): Promise<string | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', defaultSetting)
    .executeTakeFirst()
  return row?.value
}

export async function saveDefaultWorkspaceName(db: Queryable, name: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: defaultSetting, value: name })
    .onConflict((conflicting) => conflicting.column('name').doUpdateSet({ value: name }))
    .execute()
}

export async function clearDefaultWorkspace(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', defaultSetting).where('value', '=', name).execute()
}
