import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

type Schema = Kysely<unknown>

async function createVersions(db: Schema): Promise<void> {
  await db.schema
    .createTable('layer_versions')
    .addColumn('layer_id', 'bigint', (column) => column.notNull())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('workspace', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('user_name', 'text')
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('import_id', 'bigint')
    .addColumn('mode', 'text')
    .addColumn('row_count', 'bigint')
    .addColumn('changes', 'text')
    .addColumn('columns_changed', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addColumn('store_id', 'bigint', (column) => column.notNull())
    .addColumn('native_name', 'text', (column) => column.notNull())
    .addColumn('is_public', 'integer')
    .addColumn('style_digest', 'text')
    .addColumn('content_id', 'bigint', (column) => column.notNull())
    .addColumn('is_pinned', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('layer_versions_pkey', ['layer_id', 'version'])
    .execute()
  await db.schema
    .createIndex('layer_versions_name')
    .on('layer_versions')
    .columns(['workspace', 'name'])
    .execute()
  await db.schema.createIndex('layer_versions_content').on('layer_versions').column('content_id').execute()
  await db.schema.createIndex('layer_versions_store').on('layer_versions').column('store_id').execute()
}

async function createContents(db: Schema, isSqlite: boolean): Promise<void> {
  const table = db.schema.createTable('layer_contents')
  const withId = isSqlite
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
  await withId
    .addColumn('store_id', 'bigint', (column) => column.notNull())
    .addColumn('table_key', 'text', (column) => column.notNull())
    .addColumn('form', 'text', (column) => column.notNull())
    .addColumn('kept_id', 'text')
    .addColumn('kept', 'text')
    .addColumn('reason', 'text')
    .addColumn('size_bytes', 'bigint')
    .addColumn('after_id', 'bigint')
    .addColumn('state', 'text')
    .addColumn('began_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .execute()
  await db.schema
    .createIndex('layer_contents_place')
    .on('layer_contents')
    .columns(['store_id', 'table_key', 'form'])
    .execute()
}

/** Earlier versions of layers, the location of their rows, and their styles. */
export function keptVersions(isSqlite: boolean): Migration {
  return {
    up: async (db: Schema) => {
      await createVersions(db)
      await createContents(db, isSqlite)
      await db.schema
        .alterTable('stores')
        .addColumn('keeps_versions', 'integer', (column) => column.notNull().defaultTo(1))
        .execute()
      await db.schema
        .createTable('kept_styles')
        .addColumn('digest', 'text', (column) => column.primaryKey())
        .addColumn('format', 'text', (column) => column.notNull())
        .addColumn('document', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('layer_restores')
        .addColumn('load_id', 'text', (column) => column.primaryKey())
        .addColumn('store_id', 'bigint', (column) => column.notNull())
        .addColumn('document', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .execute()
    },
  }
}
