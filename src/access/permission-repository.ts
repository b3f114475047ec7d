import type { Selectable } from 'kysely'
import type { Queryable } from '../core/db/connection.ts'
import type { Tables } from '../core/db/tables.ts'
import { notFound } from '../core/errors/errors.ts'
import type { Action } from './actions.ts'
import { actions } from './actions.ts'
import type { Permission, PermissionScope, Subject } from './permission.ts'

/** The values of a permission. */
export interface PermissionValues extends PermissionScope {
  subject: Subject
  actions: readonly Action[]
}

type Row = Selectable<Tables['permissions']> & { layer: string | null; layer_workspace: string | null }

function toPermission(row: Row): Permission {
  const given = row.actions.split(' ')
  return {
    id: Number(row.id),
    subject: toSubject(row),
    workspace: row.layer_workspace ?? row.workspace ?? undefined,
    layer: row.layer ?? undefined,
    actions: actions.filter((action) => given.includes(action)),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toSubject({ subject, user_name, group_name }: Row): Subject {
  if (user_name !== null) return { kind: 'user', name: user_name }
  if (group_name !== null) return { kind: 'group', name: group_name }
  return { kind: subject === 'everyone' ? 'everyone' : 'authenticated' }
}

function selectPermissions(db: Queryable) {
  return db
    .selectFrom('permissions')
    .leftJoin('layers', 'layers.id', 'permissions.layer_id')
    .selectAll('permissions')
    .select(['layers.name as layer', 'layers.workspace as layer_workspace'])
}

/** Lists permissions by id. */
export async function listPermissions(db: Queryable): Promise<Permission[]> {
  return (await selectPermissions(db).orderBy('permissions.id').execute()).map(toPermission)
}

/** Throws `Failure` (`notFound`) for a permission that does not exist. */
export async function getPermission(db: Queryable, id: number): Promise<Permission> {
  const row = await selectPermissions(db).where('permissions.id', '=', id).executeTakeFirst()
  if (row === undefined) throw notFound('unknown-permission', `Permission ${id} does not exist`)
  return toPermission(row)
}

/** Returns the id of a layer; undefined for one that does not exist. */
export async function findLayerId(
  db: Queryable,
  workspace: string,
  name: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('layers')
    .select('id')
    .where('workspace', '=', workspace)
    .where('name', '=', name)
    .executeTakeFirst()
  return row && Number(row.id)
}

/** True if a user, a group or a workspace of this name exists. */
export async function isNamed(
  db: Queryable,
  table: 'users' | 'groups' | 'workspaces',
  name: string,
): Promise<boolean> {
  const row = await db.selectFrom(table).select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

function toRow({ subject, workspace, actions: given }: PermissionValues, layerId: number | undefined) {
  return {
    subject: subject.kind,
    user_name: subject.kind === 'user' ? subject.name : null,
    group_name: subject.kind === 'group' ? subject.name : null,
    workspace: workspace ?? null,
    layer_id: layerId ?? null,
    actions: actions.filter((action) => given.includes(action)).join(' '),
  }
}

/** Adds a permission and returns its id. */
export async function insertPermission(
  db: Queryable,
  values: PermissionValues,
  layerId: number | undefined,
  at: string,
): Promise<number> {
  const row = await db
    .insertInto('permissions')
    .values({ ...toRow(values, layerId), created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(row.id)
}

export async function updatePermission(
  db: Queryable,
  id: number,
  values: PermissionValues,
  layerId: number | undefined,
  at: string,
): Promise<void> {
  await db
    .updateTable('permissions')
    .set({ ...toRow(values, layerId), updated_at: at })
    .where('id', '=', id)
    .execute()
}

/** Deletes permissions. Returns the number deleted. */
export async function deletePermissions(db: Queryable, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  const result = await db.deleteFrom('permissions').where('id', 'in', ids).executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** Returns the groups of each user. */
export async function readMemberships(db: Queryable): Promise<Map<string, Set<string>>> {
  const rows = await db.selectFrom('group_members').select(['user_name', 'group_name']).distinct().execute()
  const groups = new Map<string, Set<string>>()
  for (const { user_name, group_name } of rows) {
    const known = groups.get(user_name)
    if (known === undefined) groups.set(user_name, new Set([group_name]))
    else known.add(group_name)
  }
  return groups
}

export async function readOpenWorkspaces(db: Queryable): Promise<Set<string>> {
  const rows = await db.selectFrom('workspaces').select('name').where('is_public', '=', 1).execute()
  return new Set(rows.map(({ name }) => name))
}

/** The number that increases in the transaction of every change of rules. */
export async function readRevision(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'access-revision')
    .executeTakeFirst()
  return Number(row?.value ?? 0)
}
