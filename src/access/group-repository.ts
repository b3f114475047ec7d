import type { Selectable } from 'kysely'
import type { Queryable } from '../core/db/connection.ts'
import type { Tables } from '../core/db/tables.ts'
import { conflict, notFound } from '../core/errors/errors.ts'
import type { Group, GroupMember, GroupSource } from './records.ts'
import { groupSources } from './records.ts'

function toSource(text: string): GroupSource {
  return groupSources.find((source) => source === text) ?? 'local'
}

function toGroup(row: Selectable<Tables['groups']>, members: GroupMember[]): Group {
  return {
    name: row.name,
    title: row.title ?? undefined,
    source: toSource(row.source),
    members,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Lists groups by name with their members. */
export async function listGroups(db: Queryable): Promise<Group[]> {
  const rows = await db.selectFrom('groups').selectAll().orderBy('name').execute()
  const members = await db
    .selectFrom('group_members')
    .selectAll()
    .orderBy('user_name')
    .orderBy('source')
    .execute()
  const byGroup = Map.groupBy(members, (member) => member.group_name)
  return rows.map((row) => toGroup(row, (byGroup.get(row.name) ?? []).map(toMember)))
}

function toMember({ user_name, source }: Tables['group_members']): GroupMember {
  return { user: user_name, source: toSource(source) }
}

export async function findGroup(db: Queryable, name: string): Promise<Group | undefined> {
  const row = await db.selectFrom('groups').selectAll().where('name', '=', name).executeTakeFirst()
  if (row === undefined) return undefined
  const members = await db
    .selectFrom('group_members')
    .selectAll()
    .where('group_name', '=', name)
    .orderBy('user_name')
    .orderBy('source')
    .execute()
  return toGroup(row, members.map(toMember))
}

/** Throws `Failure` (`notFound`) for a group that does not exist. */
export async function getGroup(db: Queryable, name: string): Promise<Group> {
  const group = await findGroup(db, name)
  if (group === undefined) throw notFound('unknown-group', `Group "${name}" does not exist`)
  return group
}

export interface NewGroup {
  name: string
  title?: string | undefined
  source: GroupSource
}

/** Throws `Failure` (`conflict`) for a name that is in use. */
export async function insertGroup(db: Queryable, group: NewGroup, at: string): Promise<void> {
  const result = await db
    .insertInto('groups')
    .values(toRow(group, at))
    .onConflict((conflicting) => conflicting.column('name').doNothing())
    .executeTakeFirst()
  if (Number(result.numInsertedOrUpdatedRows) === 0)
    throw conflict('group-exists', `Group "${group.name}" exists already`)
}

function toRow({ name, title, source }: NewGroup, at: string) {
  return { name, title: title ?? null, source, created_at: at, updated_at: at }
}

/** Changes name and title; memberships and permissions follow a new name. */
export async function updateGroup(
  db: Queryable,
  name: string,
  change: { name: string; title: string | undefined },
  at: string,
): Promise<void> {
  await db
    .updateTable('groups')
    .set({ name: change.name, title: change.title ?? null, updated_at: at })
    .where('name', '=', name)
    .execute()
}

/** Deletes a group with its memberships and permissions. */
export async function deleteGroupRow(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('groups').where('name', '=', name).execute()
}

/** Replaces the local members of a group; memberships that a provider gave stay. */
export async function replaceLocalMembers(
  db: Queryable,
  group: string,
  users: readonly string[],
): Promise<void> {
  await db.deleteFrom('group_members').where('group_name', '=', group).where('source', '=', 'local').execute()
  if (users.length === 0) return
  const rows = users.map((user) => ({ group_name: group, user_name: user, source: 'local' }))
  await db.insertInto('group_members').values(rows).execute()
}

/**
 * Replaces the memberships of a user that `source` gave, and creates missing groups. Memberships of other
 * sources stay. Writes nothing if the memberships are the same.
 */
export async function replaceMemberships(
  db: Queryable,
  membership: { userName: string; source: Exclude<GroupSource, 'local'>; groupNames: readonly string[] },
  at: string,
): Promise<void> {
  const { userName, source } = membership
  const groupNames = [...new Set(membership.groupNames)].toSorted()
  const rows = await db
    .selectFrom('group_members')
    .select('group_name')
    .where('user_name', '=', userName)
    .where('source', '=', source)
    .execute()
  const current = new Set(rows.map(({ group_name }) => group_name))
  const added = groupNames.filter((name) => !current.has(name))
  const removed = [...current].filter((name) => !groupNames.includes(name))
  if (removed.length > 0)
    await db
      .deleteFrom('group_members')
      .where('user_name', '=', userName)
      .where('source', '=', source)
      .where('group_name', 'in', removed)
      .execute()
  if (added.length > 0) await addMemberships(db, { userName, source, groupNames: added }, at)
}

async function addMemberships(
  db: Queryable,
  { userName, source, groupNames }: { userName: string; source: GroupSource; groupNames: readonly string[] },
  at: string,
): Promise<void> {
  await db
    .insertInto('groups')
    .values(groupNames.map((name) => toRow({ name, source }, at)))
    .onConflict((conflicting) => conflicting.column('name').doNothing())
    .execute()
  await db
    .insertInto('group_members')
    .values(groupNames.map((name) => ({ group_name: name, user_name: userName, source })))
    .onConflict((conflicting) => conflicting.columns(['group_name', 'user_name', 'source']).doNothing())
    .execute()
}
