import type { CreateTableBuilder, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

function withId<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

async function createGroups(db: Schema): Promise<void> {
  await db.schema
    .createTable('groups')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('title', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('group_members')
    .addColumn('group_name', 'text', (column) =>
      column.notNull().references('groups.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('user_name', 'text', (column) =>
      column.notNull().references('users.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('source', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('group_members_key', ['group_name', 'user_name', 'source'])
    .execute()
  await db.schema.createIndex('group_members_user').on('group_members').column('user_name').execute()
}

/** Deleting a subject or a resource deletes its permissions. */
async function createPermissions(db: Schema, isSqlite: boolean): Promise<void> {
  const layerId = isSqlite ? 'integer' : 'bigint'
  await withId(db.schema.createTable('permissions'), isSqlite)
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text', (column) =>
      column.references('users.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('group_name', 'text', (column) =>
      column.references('groups.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('workspace', 'text', (column) =>
      column.references('workspaces.name').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('layer_id', layerId, (column) => column.references('layers.id').onDelete('cascade'))
    .addColumn('actions', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
  for (const column of ['user_name', 'group_name', 'workspace', 'layer_id'])
    await db.schema.createIndex(`permissions_${column}`).on('permissions').column(column).execute()
}

const changes = [
  { table: 'groups', events: ['insert', 'update', 'delete'] },
  { table: 'group_members', events: ['insert', 'update', 'delete'] },
  { table: 'permissions', events: ['insert', 'update', 'delete'] },
  { table: 'workspaces', events: ['insert', 'update of is_public', 'delete'] },
] as const

/**
 * Increments the counter `access-revision` in the transaction of every change that decisions about access
 * depend on, cascading deletions included.
 */
async function countRevisions(db: Schema, isSqlite: boolean): Promise<void> {
  await sql`insert into counters (name, value) values ('access-revision', 1)`.execute(db)
  if (!isSqlite)
    await sql`create function count_access_revision() returns trigger language plpgsql as $$
      begin
        update counters set value = value + 1 where name = 'access-revision';
        return null;
      end $$`.execute(db)
  for (const { table, events } of changes) {
    if (!isSqlite)
      await sql`create trigger ${sql.ref(`${table}_access_revision`)} after ${sql.raw(events.join(' or '))}
        on ${sql.table(table)} for each statement execute function count_access_revision()`.execute(db)
    else await countInSqlite(db, table, events)
  }
}

async function countInSqlite(db: Schema, table: string, events: readonly string[]): Promise<void> {
  for (const [index, event] of events.entries())
    await sql`create trigger ${sql.ref(`${table}_access_revision_${index}`)} after ${sql.raw(event)}
      on ${sql.table(table)} begin
        update counters set value = value + 1 where name = 'access-revision';
      end`.execute(db)
}

/** Adds groups, their members, permissions, and the revision of all of them. */
export function groupsAndPermissions(isSqlite: boolean): Migration {
  return {
    up: async (db: Schema) => {
      await createGroups(db)
      await createPermissions(db, isSqlite)
      await countRevisions(db, isSqlite)
    },
  }
}
