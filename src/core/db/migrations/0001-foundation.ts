import type { CreateTableBuilder, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

/** Adds a generated id; an explicit value is accepted too. */
function withId<T extends string>(table: CreateTableBuilder<T>, isSqlite: boolean) {
  return isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

function withTimes<T extends string, C extends string>(table: CreateTableBuilder<T, C>) {
  return table
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
}

async function createAccounts(db: Schema, isSqlite: boolean): Promise<void> {
  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('counters')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute()
  await withTimes(
    db.schema
      .createTable('users')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('email', 'text')
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('password_hash', 'text', (column) => column.notNull()),
  ).execute()
  await withId(db.schema.createTable('tokens'), isSqlite)
    .addColumn('user_name', 'text', (column) => column.notNull().references('users.name').onDelete('cascade'))
    .addColumn('caption', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('last_used_at', 'text')
    .execute()
  await db.schema
    .createTable('sessions')
    .addColumn('id_hash', 'text', (column) => column.primaryKey())
    .addColumn('user_name', 'text', (column) => column.notNull().references('users.name').onDelete('cascade'))
    .addColumn('csrf_token', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('user_name', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('headers', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pkey', ['user_name', 'key'])
    .execute()
}

async function createCatalog(db: Schema, isSqlite: boolean): Promise<void> {
  await withTimes(
    db.schema
      .createTable('workspaces')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('is_public', 'integer', (column) => column.notNull()),
  ).execute()
  await withTimes(
    withId(db.schema.createTable('stores'), isSqlite)
      .addColumn('workspace', 'text', (column) => column.notNull().references('workspaces.name'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('is_enabled', 'integer', (column) => column.notNull())
      .addColumn('is_default', 'integer', (column) => column.notNull())
      .addColumn('parameters', 'text', (column) => column.notNull())
      .addColumn('secrets', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addUniqueConstraint('stores_name', ['workspace', 'name']),
  ).execute()
  await withTimes(
    withId(db.schema.createTable('styles'), isSqlite)
      .addColumn('workspace', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('format', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addUniqueConstraint('styles_name', ['workspace', 'name']),
  ).execute()
  await withTimes(
    withId(db.schema.createTable('layers'), isSqlite)
      .addColumn('workspace', 'text', (column) => column.notNull().references('workspaces.name'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('store_id', 'bigint', (column) => column.notNull().references('stores.id'))
      .addColumn('native_name', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addUniqueConstraint('layers_name', ['workspace', 'name']),
  ).execute()
}

async function createWork(db: Schema, isSqlite: boolean): Promise<void> {
  await withTimes(
    db.schema
      .createTable('imports')
      .addColumn('id', 'bigint', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('next_task_id', 'integer', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull()),
  ).execute()
  await db.schema
    .createTable('tasks')
    .addColumn('import_id', 'bigint', (column) =>
      column.notNull().references('imports.id').onDelete('cascade'),
    )
    .addColumn('id', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('sort_key', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('tasks_pkey', ['import_id', 'id'])
    .execute()
  await withTimes(
    withId(db.schema.createTable('jobs'), isSqlite)
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until', 'text')
      .addColumn('error', 'text'),
  ).execute()
  await db.schema.createIndex('jobs_state').on('jobs').columns(['state', 'id']).execute()
}

export function foundation(isSqlite: boolean): Migration {
  return {
    up: async (db: Schema) => {
      await createAccounts(db, isSqlite)
      await createCatalog(db, isSqlite)
      await createWork(db, isSqlite)
      await sql`insert into counters (name, value) values ('import-id', 0)`.execute(db)
    },
  }
}
