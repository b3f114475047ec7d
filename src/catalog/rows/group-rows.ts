import type { Selectable } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import type { GroupMember, GroupMode, LayerGroup } from '../records.ts'

/** Editable values of a group. */
export type GroupValues = Pick<LayerGroup, 'mode' | 'title' | 'abstract' | 'members'>

function toGroup(row: Selectable<Tables['layer_groups']>, members: GroupMember[]): LayerGroup {
  return {
    id: Number(row.id),
    workspace: row.workspace === '' ? undefined : row.workspace,
    name: row.name,
    mode: row.mode as GroupMode,
    title: row.title,
    abstract: row.abstract ?? undefined,
    members,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/**
 * Lists groups with their members by workspace and name: all, those of `workspace`, or with `''` the global
 * ones.
 */
export async function listGroups(
  db: Queryable,
  { workspace }: { workspace?: string | undefined } = {},
): Promise<LayerGroup[]> {
  let query = db.selectFrom('layer_groups').selectAll().orderBy('workspace').orderBy('name')
  if (workspace !== undefined) query = query.where('workspace', '=', workspace)
  const rows = await query.execute()
  if (rows.length === 0) return []
  const members = await membersOf(db)
  return rows.map((row) => toGroup(row, members.get(Number(row.id)) ?? []))
}

export async function findGroup(
  db: Queryable,
  { workspace, name }: Pick<LayerGroup, 'workspace' | 'name'>,
): Promise<LayerGroup | undefined> {
  const row = await db
    .selectFrom('layer_groups')
    .selectAll()
    .where('workspace', '=', workspace ?? '')
    .where('name', '=', name)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const id = Number(row.id)
  return toGroup(row, (await membersOf(db, id)).get(id) ?? [])
}

/** Returns the members of one group, or of all, by the id of their group. */
export async function membersOf(db: Queryable, groupId?: number): Promise<Map<number, GroupMember[]>> {
  let query = db
    .selectFrom('layer_group_members as member')
    .leftJoin('layers', 'layers.id', 'member.layer_id')
    .leftJoin('layer_groups as inner', 'inner.id', 'member.member_id')
    .select(['member.group_id', 'member.style', 'layers.id as layer_id', 'inner.id as inner_id'])
    .select(['layers.workspace as layer_workspace', 'layers.name as layer_name'])
    .select(['inner.workspace as inner_workspace', 'inner.name as inner_name'])
    .orderBy('member.group_id')
    .orderBy('member.position')
  if (groupId !== undefined) query = query.where('member.group_id', '=', groupId)
  const members = new Map<number, GroupMember[]>()
  for (const row of await query.execute()) {
    const list = members.get(Number(row.group_id)) ?? []
    members.set(Number(row.group_id), list)
    list.push(
      row.inner_id === null
        ? {
            kind: 'layer',
            id: Number(row.layer_id),
            workspace: row.layer_workspace ?? undefined,
            name: row.layer_name ?? '',
            style: row.style ?? undefined,
          }
        : {
            kind: 'layerGroup',
            id: Number(row.inner_id),
            workspace: row.inner_workspace || undefined,
            name: row.inner_name ?? '',
            style: undefined,
          },
    )
  }
  return members
}

/** Run in a transaction. Returns false if the name is in use. */
export async function insertGroup(
  db: Queryable,
  group: Omit<LayerGroup, 'id' | 'createdAt' | 'updatedAt'>,
  at: string,
): Promise<boolean> {
  const { workspace, name, mode, title, abstract, members } = group
  const row = await db
    .insertInto('layer_groups')
    .values({
      workspace: workspace ?? '',
      name,
      mode,
      title,
      abstract: abstract ?? null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.columns(['workspace', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return false
  await insertMembers(db, Number(row.id), members)
  return true
}

/** Run in a transaction. Returns false if the group has changed since `group` was read. */
export async function updateGroup(
  db: Queryable,
  { id, updatedAt }: Pick<LayerGroup, 'id' | 'updatedAt'>,
  { mode, title, abstract, members }: GroupValues,
  at: string,
): Promise<boolean> {
  const changed = await db
    .updateTable('layer_groups')
    .set({ mode, title, abstract: abstract ?? null, updated_at: at })
    .where('id', '=', id)
    .where('updated_at', '=', updatedAt)
    .executeTakeFirst()
  if (Number(changed.numUpdatedRows) === 0) return false
  await db.deleteFrom('layer_group_members').where('group_id', '=', id).execute()
  await insertMembers(db, id, members)
  return true
}

async function insertMembers(db: Queryable, groupId: number, members: readonly GroupMember[]): Promise<void> {
  if (members.length === 0) return
  const rows = members.map(({ kind, id, style }, position) => ({
    group_id: groupId,
    position,
    layer_id: kind === 'layer' ? id : null,
    member_id: kind === 'layerGroup' ? id : null,
    style: style ?? null,
  }))
  await db.insertInto('layer_group_members').values(rows).execute()
}

export async function deleteGroup(db: Queryable, { id }: Pick<LayerGroup, 'id'>): Promise<void> {
  await db.deleteFrom('layer_groups').where('id', '=', id).execute()
}

/** Deletes the groups of a workspace. */
export async function deleteGroupsOf(db: Queryable, workspace: string): Promise<void> {
  await db.deleteFrom('layer_groups').where('workspace', '=', workspace).execute()
}

export async function countGroups(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('layer_groups')
    .select((select) => select.fn.countAll().as('groups'))
    .executeTakeFirstOrThrow()
  return Number(row.groups)
}
